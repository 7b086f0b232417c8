// The Compare tab: shows where two expressions or two runs differ.

const comparable = words =>
  words[0] === 'compare' && !words.some(word => /^(-h|--help|--json|--quiet)(=|$)/.test(word));

// Examples: expression A, expression B, and the values of their variables.
const comparisons = [
  [
    'softmax(x) @ w',
    'exp(x)/sum(exp(x), axes=[-1], keep) @ w',
    "'x=[1, 2, 0.5; 0, 1, 3]' 'w=[1, 2; 3, 4; 5, 6]'",
  ],
  ['sigmoid(x)', '1/(1 + exp(-x))', 'x=0.7'],
  ['a*b + a*c', 'a*(b + c)', 'a=0.1 b=0.7 c=0.3'],
  ['cross_entropy(x, t)', 'logsumexp(x) - sum(x*one_hot(t, 3))', "'x=[1, 2, 0.5]' t=1"],
  ['tanh(x)*3', 'tanh(x)*3', 'x=20 x=21'],
  ['softmax(x)', 'softmax(x, axis=0)', "'x=[1, 2; 3, 4]'"],
];

// Draws the losses of both runs, and shows what the command prints about them.
function comparedRuns({ metrics: { losses } }, printed) {
  const curves = ['a', 'b'].map((of, i) => ({
    name: of.toUpperCase(),
    look: lineLook(i),
    steps: losses.map(({ step }) => step),
    values: losses.map(each => each[of]),
  }));
  const parts = [make('pre.printed', { tabindex: 0 }, printed)];
  if (losses.length > 0) {
    const chart = new Chart(trainTexts.loss, '', curves, stepsOf(curves), 'steps');
    parts.unshift(make('h2', compareTexts.runs), chart.root);
  }
  return parts;
}

addTab('compare', compareTexts.tab, comparable, panel => {
  let words = [];
  const submit = () => make('button.main', compareTexts.tab);
  const line = (...parts) => make('div.choose', parts);

  // ---- two expressions

  const [first, second, values] = [lineInput(), lineInput(), lineInput()];
  const texts = compareTexts;
  const titles = [t('editor').choose, ...texts.examples];
  const examples = setOptions(make('select'), titles, ['', ...comparisons.keys()]);
  const read = () =>
    compare(['compare', first.value.trim(), second.value.trim(), ...wordsOf(values.value)]);
  const expressions = makeForm(
    'form',
    () => attempt(status, read),
    line(labelled(texts.example, examples)),
    line(labelled('A', first)),
    line(labelled('B', second)),
    line(labelled(texts.values, values), submit(), linkButton(() => words)),
  );
  examples.addEventListener('change', () => {
    if (examples.value === '') return;
    const [a, b, given] = comparisons[Number(examples.value)];
    compare(['compare', a, b, ...wordsOf(given)]);
  });

  // ---- two runs

  const [runA, runB] = [make('select'), make('select')];
  const example = make('input', { type: 'number', min: 0, value: 0 });
  const given = line(
    labelled('A', runA),
    labelled('B', runB),
    labelled(texts.exampleNumber, example),
    submit(),
    linkButton(() => words),
  );
  const short = ['train', 'reverse', '--steps', '60'];
  const pair = [short, [...short, '--lr', '0.002']].map(trainLink);
  const hint = make('p.soft', texts.trainTwo, pair[0], texts.and, pair[1], '.');
  const readRuns = () => {
    const chosen = Number(example.value) > 0 ? ['--example', String(Number(example.value))] : [];
    compare(['compare', runA.value, runB.value, ...chosen]);
  };
  const runs = makeForm('form', readRuns, given, hint);

  // Offers the page's runs as A and B; selects two different ones if there are two.
  async function listRuns() {
    const names = (await engine.list('runs')).map(name => `runs/${name}`);
    const chosen = [runA.value, runB.value];
    for (const select of [runA, runB]) setOptions(select, names, names);
    runA.value = names.includes(chosen[0]) ? chosen[0] : (names[0] ?? '');
    runB.value = names.includes(chosen[1]) ? chosen[1] : (names[1] ?? names[0] ?? '');
    given.hidden = names.length === 0;
    return names;
  }

  // ---- choice between expressions and runs

  const radio = (text, form) => {
    const select = { type: 'radio', name: 'compared', onchange: () => choose(form) };
    const control = make('input', select);
    return { control, form, label: make('label', control, text) };
  };
  const kinds = [radio(texts.expressions, expressions), radio(texts.runs, runs)];
  const group = { role: 'radiogroup', 'aria-label': texts.what };
  const kind = attributed(line(kinds.map(each => each.label)), group);
  function choose(form) {
    for (const each of kinds) {
      each.control.checked = each.form === form;
      each.form.hidden = each.form !== form;
    }
  }
  choose(expressions);

  // ---- results

  const status = statusLine();
  const verdict = make('p.verdict', { role: 'status' });
  const result = make('div.compared');
  const clear = () => {
    verdict.textContent = '';
    result.replaceChildren();
  };

  async function draw(document) {
    if (document.kind === 'runs') {
      const { out } = await engine.run(words);
      verdict.textContent = '';
      result.replaceChildren(...comparedRuns(document, out));
      return;
    }
    verdict.textContent = expressionsVerdict(document);
    result.replaceChildren(...ulpNote(document), ...comparedTapes(document));
  }

  function fill(names) {
    const [, a = '', b = ''] = words;
    const isRuns = names.includes(a) || a.startsWith('runs/');
    choose(isRuns ? runs : expressions);
    if (!isRuns) {
      [first.value, second.value, values.value] = [a, b, lineOf(words.slice(3))];
      const text = lineOf(words.slice(1));
      const isIt = ([one, other, given]) => lineOf([one, other, ...wordsOf(given)]) === text;
      const at = comparisons.findIndex(isIt);
      examples.value = at < 0 ? '' : String(at);
      return '';
    }
    if (names.includes(a)) runA.value = a;
    if (names.includes(b)) runB.value = b;
    example.value = optionOf(words, 'example', '0');
    return [a, b].find(name => !names.includes(name)) ?? '';
  }

  const latest = new Latest(async asked => {
    try {
      const document = await engine.json(asked);
      if (words !== asked) return;
      await draw(document);
      status.textContent = '';
    } catch (error) {
      if (words !== asked) return;
      status.textContent = `${error.message}.`;
      clear();
    }
  });

  async function compare(asked) {
    words = asked;
    say(words);
    const names = await listRuns();
    if (words !== asked) return; // superseded by a newer request
    const missing = fill(names);
    if (!missing) {
      status.textContent = texts.comparing;
      latest.ask(words);
      return;
    }
    clear();
    sayMissing(status, missing);
  }

  panel.append(kind, expressions, runs, status, verdict, result);
  return {
    open: compare,
    async shown() {
      if (words.length > 0) say(words);
      else {
        const [a, b, given] = comparisons[0];
        return compare(['compare', a, b, ...wordsOf(given)]);
      }
      await listRuns();
    },
  };
});
