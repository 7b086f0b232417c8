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

const compareTexts = t('compare');

// Describes the difference of two expressions in a sentence.
function expressionsVerdict({ equal, result, rows, a, first_value: parting }) {
  const texts = compareTexts;
  if (equal) return texts.same;
  const variables = rows.filter(row => row.gradient && a.lines[row.a].inputs.length === 0);
  const differing = variables.filter(row => !row.gradient.equal);
  const isRounding = all => all.every(each => each.equal || each.only_rounding);
  const how = isRounding(differing.map(row => row.gradient)) ? texts.onlyRounding : texts.differ;
  const names = differing.map(row => a.lines[row.a].op);
  const same = variables.length > 0 && texts.sameGradients;
  const gradients = names.length > 0 ? texts.gradients(names, how) : same;
  const first = parting ? ` ${texts.first(parting)}` : '';
  const head = isRounding([result, ...differing.map(row => row.gradient)]) && texts.rounding;
  const said = [resultText(result), gradients].filter(Boolean).join('; ');
  return `${head ? `${head}. ` : ''}${said}.${first}`;
}

function resultText({ equal, shape_a, shape_b, type_a, differing, elements, ulps, largest }) {
  const texts = compareTexts;
  if (equal) return texts.sameResults;
  if (shape_a) return texts.shapes(shapeText(shape_a), shapeText(shape_b));
  if (type_a && differing === 0) return texts.types;
  const results = texts.results(elements > 1 ? texts.where(differing, elements) : '');
  if (ulps === 0) return results + texts.sign;
  if (ulps === null) return results + texts.notFinite;
  return results + texts.most(apartText({ ...largest, ulps }));
}

// Returns the distance from a number to the next larger f64.
function ulpOf(number) {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, Math.abs(number));
  bits.setBigUint64(0, bits.getBigUint64(0) + 1n);
  return bits.getFloat64(0) - Math.abs(number);
}

// Returns a note that explains ulps, if the comparison mentions any.
function ulpNote({ result, rows }) {
  const all = [result, ...rows.flatMap(row => [row.value, row.gradient])];
  const found = all.find(each => each?.ulps > 0);
  if (!found) return [];
  const near = found.largest.a;
  const [size, ulp] = [near, ulpOf(near)].map(each => String(Number(each.toPrecision(2))));
  return [element('p', compareTexts.ulp(size, ulp), 'soft ulp')];
}

addTab('compare', compareTexts.tab, comparable, panel => {
  let words = [];
  const submit = () =>
    Object.assign(element('button', compareTexts.compare), { type: 'submit', className: 'main' });
  const line = (...parts) => {
    const result = element('div', undefined, 'choose');
    result.append(...parts);
    return result;
  };

  // ---- two expressions

  const [first, second, values] = [lineInput(), lineInput(), lineInput()];
  const texts = compareTexts;
  const titles = [texts.choose, ...texts.examples];
  const examples = setOptions(element('select'), titles, ['', ...comparisons.keys()]);
  const expressions = element('form');
  expressions.append(
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
  expressions.addEventListener('submit', event => {
    event.preventDefault();
    try {
      compare(['compare', first.value.trim(), second.value.trim(), ...wordsOf(values.value)]);
    } catch (error) {
      status.textContent = `${error.message}.`;
    }
  });

  // ---- two runs

  const [runA, runB] = [element('select'), element('select')];
  const example = attributed(element('input'), { type: 'number', min: 0, value: 0 });
  const runs = element('form');
  const given = line(
    labelled('A', runA),
    labelled('B', runB),
    labelled(texts.exampleNumber, example),
    submit(),
    linkButton(() => words),
  );
  const hint = element('p', texts.trainTwo, 'soft');
  const short = ['train', 'reverse', '--steps', '60'];
  const pair = [short, [...short, '--lr', '0.002']];
  hint.append(trainLink(pair[0]), texts.and, trainLink(pair[1]), '.');
  runs.append(given, hint);
  runs.addEventListener('submit', event => {
    event.preventDefault();
    const chosen = Number(example.value) > 0 ? ['--example', String(Number(example.value))] : [];
    compare(['compare', runA.value, runB.value, ...chosen]);
  });

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
    const control = attributed(element('input'), { type: 'radio', name: 'compared' });
    control.addEventListener('change', () => choose(form));
    const label = labelled(text, control);
    label.prepend(control);
    return { control, label, form };
  };
  const kinds = [radio(texts.expressions, expressions), radio(texts.runs, runs)];
  const kind = attributed(line(...kinds.map(each => each.label)), {
    role: 'radiogroup',
    'aria-label': texts.what,
  });
  function choose(form) {
    for (const each of kinds) {
      each.control.checked = each.form === form;
      each.form.hidden = each.form !== form;
    }
  }
  choose(expressions);

  // ---- results

  const status = statusLine();
  const verdict = attributed(element('p', '', 'verdict'), { role: 'status' });
  const result = element('div', undefined, 'compared');

  function draw(document) {
    const isRuns = document.kind === 'runs';
    verdict.textContent = isRuns ? runsVerdict(document) : expressionsVerdict(document);
    const parts = isRuns
      ? comparedRuns(document)
      : [...ulpNote(document), ...comparedTapes(document, 'value', false)];
    result.replaceChildren(...parts);
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
      draw(document);
      status.textContent = '';
    } catch (error) {
      if (words !== asked) return;
      status.textContent = `${error.message}.`;
      verdict.textContent = '';
      result.replaceChildren();
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
    verdict.textContent = '';
    result.replaceChildren();
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
