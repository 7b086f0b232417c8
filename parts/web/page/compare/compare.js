// The Compare tab: shows where two expressions or two runs differ, as the command prints it.

const compareTexts = t('compare');

const comparable = words =>
  words[0] === 'compare' && !words.some(word => /^(-h|--help|--json|--quiet)(=|$)/.test(word));

// Examples: expression A, expression B, and the values of their variables.
const comparisons = [
  "'softmax(x) @ w' 'exp(x)/sum(exp(x), axes=[-1], keep) @ w' " +
    "'x=[1, 2, 0.5; 0, 1, 3]' 'w=[1, 2; 3, 4; 5, 6]'",
  "'sigmoid(x)' '1/(1 + exp(-x))' x=0.7",
  "'a*b + a*c' 'a*(b + c)' a=0.1 b=0.7 c=0.3",
  "'cross_entropy(x, t)' 'logsumexp(x) - sum(x*one_hot(t, 3))' 'x=[1, 2, 0.5]' t=1",
  "'tanh(x)*3' 'tanh(x)*3' x=20 x=21",
  "'softmax(x)' 'softmax(x, axis=0)' 'x=[1, 2; 3, 4]'",
].map(line => wordsOf(`compare ${line}`));

// Returns a chart of the losses of two runs; nothing without losses.
async function comparedLosses(words) {
  const { losses } = (await engine.json(words)).metrics;
  if (losses.length === 0) return [];
  const curves = ['a', 'b'].map((of, i) => ({
    name: of.toUpperCase(),
    look: lineLook(i),
    steps: losses.map(({ step }) => step),
    values: losses.map(each => each[of]),
  }));
  const heading = make('h2', `A: ${words[1]}, B: ${words[2]}`);
  return [heading, new Chart(trainTexts.loss, '', curves, stepsOf(curves), 'steps').root];
}

addTab('compare', compareTexts.tab, comparable, panel => {
  const texts = compareTexts;
  let words = [];
  const runs = make('datalist', { id: 'runs' });
  const [first, second] = ['A', 'B'].map(() => lineInput({ list: runs.id }));
  const more = lineInput();
  const choose = () => examples.value !== '' && compare(comparisons[examples.value]);
  const examples = make('select', { onchange: choose });
  setOptions(examples, [t('editor').choose, ...texts.examples], ['', ...comparisons.keys()]);
  const status = statusLine();
  const result = make('div');
  const read = () =>
    compare(['compare', first.value.trim(), second.value.trim(), ...wordsOf(more.value)]);
  const line = (...parts) => make('div.choose', parts);
  const form = makeForm(
    'form',
    () => attempt(status, read),
    line(labelled(texts.example, examples)),
    line(labelled('A', first)),
    line(labelled('B', second), runs),
    line(labelled(texts.more, more)),
    line(make('button.main', texts.tab), linkButton(() => words)),
  );
  const short = ['train', 'reverse', '--steps', '60'];
  const [one, other] = [short, [...short, '--lr', '0.002']].map(lineLink);
  const hint = make('p.soft', texts.trainTwo, one, texts.and, other, '.');

  const latest = new Latest(async asked => {
    let shown = [];
    let message = '';
    try {
      const { out, err, status: code } = await engine.run(asked);
      if (out === '') throw new Error(messageOf(err, code));
      const charts = asked[1].startsWith('runs/') ? await comparedLosses(asked) : [];
      shown = [...charts, make('pre.printed', { tabindex: 0 }, out)];
    } catch (error) {
      message = `${error.message}.`;
    }
    if (words !== asked) return; // superseded by a newer request
    status.textContent = message;
    result.replaceChildren(...shown);
  });

  async function compare(asked) {
    words = asked;
    say(words);
    const names = (await engine.list('runs')).map(name => `runs/${name}`);
    if (words !== asked) return;
    runs.replaceChildren(...names.map(value => make('option', { value })));
    const [, a = '', b = '', ...rest] = words;
    [first.value, second.value, more.value] = [a, b, lineOf(rest)];
    const at = comparisons.findIndex(each => lineOf(each) === lineOf(words));
    examples.value = at < 0 ? '' : at;
    const missing = [a, b].find(name => name.startsWith('runs/') && !names.includes(name));
    status.textContent = texts.comparing;
    if (!missing) return latest.ask(words);
    result.replaceChildren();
    return sayMissing(status, missing);
  }

  panel.append(form, hint, status, result);
  return {
    open: compare,
    shown: () => compare(words.length > 0 ? words : comparisons[0]),
  };
});
