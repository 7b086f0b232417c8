// The task to find the wrong backward function in a network, and its kind of fault.

const faultTexts = t('fault');

const kindsOfFaults = (() => {
  let found = null;
  return () => (found ??= engine.json(['learn', 'fault', '--kinds']));
})();

// Formats a line of the tape as '5  transpose(1)'.
function faultLineName({ op, inputs }, i) {
  return `${i}  ${op}${inputs.length > 0 ? `(${inputs.join(', ')})` : ''}`;
}

// Shows a line of the tape, with its value and gradient side by side.
function faultLine(line, i) {
  const { shape = [], rule } = line;
  const tensor = name => {
    const values = [line[name]].flat(Infinity);
    const table = numberTable(shape, at => numberText(values[at]));
    const content = scrolling(table, faultTexts.of(t(name), i));
    return make('figure', make('figcaption.soft', t(name)), content);
  };
  const sizes = line.shape && make('span.soft', ` (${shape.join(', ')})`);
  return make(
    'li.tape-line',
    make('p', make('strong', faultLineName(line, i)), sizes),
    rule && make('p.mono', rule),
    make('div.tensors', ['value', 'gradient'].filter(name => line[name] !== undefined).map(tensor)),
  );
}

function faultText({ seed, network: { expression, lines } }) {
  const hasPrimes = lines.some(line => line.rule?.includes("'"));
  return make(
    'div.text',
    make('h2', faultTexts.title(seed)),
    inlineCode(make('p'), faultTexts.tape(expression)),
    make('p', faultTexts.how),
    make('ol.fault-tape', lines.map(faultLine)),
    hasPrimes && make('p.soft', faultTexts.prime),
    helpOf(faultGraph(seed)),
  );
}

// Returns a section that shows the network as a graph.
function faultGraph(seed) {
  const shown = new Shown(faultTexts.frame(seed));
  const status = statusLine();
  const show = async () => {
    const asked = taskKinds.fault.words(String(seed));
    shown.show(await engine.page([...asked, ...learner.whose()]));
    shown.root.scrollIntoView();
  };
  const start = button(faultTexts.graph, () => attempt(status, show));
  return make('section', controls(start), status, shown.root);
}

async function faultForm({ network: { lines } }, seed) {
  const texts = faultTexts;
  const kinds = await kindsOfFaults();
  const choice = (name, none, names, values) => {
    const select = make('select', { id: `fault-${seed}-${learner.number}-${name}` });
    return drafted(setOptions(select, [none, ...names], ['', ...values]));
  };
  const line = choice('line', texts.chooseLine, lines.map(faultLineName), lines.keys());
  const names = kinds.map(each => each.kind);
  const kind = choice('kind', texts.chooseKind, names, names);
  const missing = () => [line, kind].find(each => each.value === '');
  return taskForm({
    kind: 'fault',
    name: seed,
    contents: [labelled(texts.line, line), labelled(texts.kind, kind)],
    given: () => (missing() ? [] : ['--answer', `${line.value} ${kind.value}`]),
    none: texts.none,
    focus: () => missing().focus(),
    show: ({ right, right_line: isLine }) =>
      right ? texts.right(line.value, kind.value) : isLine ? texts.half : texts.wrong,
    tell: texts.shown,
    hasHints: false,
    below: [helpOf(faultCount()), kindList(kinds), helpOf(anotherFault(seed))],
  });
}

function kindList(kinds) {
  const terms = kinds.map(({ kind, words }) => [make('dt', kind), make('dd', `${words}.`)]);
  return make('details', make('summary', faultTexts.kinds), make('dl', terms));
}

function faultCount() {
  return following(make('p.soft'), result => {
    const lines = learner.lines.filter(each => each.task === 'fault');
    const seeds = [...new Set(lines.map(each => each.exercise))];
    const found = seeds.filter(seed => learner.state('fault', seed) === 'solved').length;
    result.textContent = seeds.length === 0 ? '' : faultTexts.found(found, seeds.length);
  });
}

// Returns a form to open the fault with another seed, by default the next one.
function anotherFault(seed) {
  const other = make('input', { type: 'number', min: 0, value: seed });
  const open = () => {
    const isNext = other.value === '' || other.value === seed;
    const wanted = isNext ? String(Number(seed) + 1) : other.value;
    go([...taskKinds.fault.words(wanted), ...learner.whose()]);
  };
  return controls(labelled(faultTexts.seed, other), button(faultTexts.another, open));
}

taskKinds.fault = {
  texts: faultTexts,
  words: seed => ['learn', 'fault', '--seed', seed],
  names: () => ['1', '2', '3', '4', '5'],
  label: faultTexts.label,
  title: faultTexts.title,
  text: faultText,
  form: faultForm,
  blanks: () => printTexts.fault,
  solution: faultTexts.shown,
};
