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

async function faultView(words) {
  const seed = optionOf(words, 'seed', '0');
  const { network } = await engine.json(['learn', 'fault', '--seed', seed, ...learner.whose()]);
  const shown = new Shown(faultTexts.frame(seed));
  const text = faultText(seed, network);
  text.append(shown.root);
  return make('article.lesson', text, faultForm(seed, network.lines, await kindsOfFaults(), shown));
}

function faultText(seed, { expression, lines }) {
  const hasPrimes = lines.some(line => line.rule?.includes("'"));
  return make(
    'div.text',
    make('h2', faultTexts.title(seed)),
    inlineCode(make('p'), faultTexts.tape(expression)),
    make('p', faultTexts.how),
    make('ol.fault-tape', lines.map(faultLine)),
    hasPrimes && make('p.soft', faultTexts.prime),
  );
}

function faultForm(seed, lines, kinds, shown) {
  const texts = faultTexts;
  const asked = ['learn', 'fault', '--seed', seed];
  const status = statusLine();
  const after = make('p');
  const id = `fault-${seed}-${learner.number}`;
  const line = make('select', { id: `${id}-line` });
  setOptions(line, [texts.chooseLine, ...lines.map(faultLineName)], ['', ...lines.keys()]);
  drafted(line);
  const { kind, meaning } = kindChoice(kinds, id);

  async function check() {
    after.replaceChildren();
    const missing = [line, kind].find(each => each.value === '');
    if (missing) {
      status.textContent = texts.none;
      return missing.focus();
    }
    const given = ['--answer', `${line.value} ${kind.value}`];
    const { right, right_line: isLine } = await learner.answer([...asked, ...given]);
    const attempt = learner.attemptText('fault', seed);
    if (learner.isExam) return (status.textContent = attempt);
    const wrong = isLine ? texts.half : texts.wrong;
    status.textContent = `${right ? texts.right(line.value, kind.value) : wrong} ${attempt}`;
    if (!right) return undefined;
    const next = String(Number(seed) + 1);
    return after.append(texts.next, learnLink(texts.fault(next), 'fault', '--seed', next));
  }
  async function tellAll() {
    status.textContent = texts.shown(await learner.answer([...asked, '--solution']));
  }
  async function showGraph() {
    const out = ['--out', 'fault.html'];
    const { status: code, err } = await engine.run([...asked, ...learner.whose(), ...out]);
    if (code !== 0) throw new Error(messageOf(err, code));
    shown.show(await engine.read('fault.html'));
    shown.root.scrollIntoView();
  }
  const tell = confirmed(learnerTexts.show, texts.sure, learnerTexts.yes, () => attempt(status, tellAll));
  const graph = button(texts.graph, () => attempt(status, showGraph));
  return answerForm(
    ...[texts.form, status, check],
    ...[labelled(texts.line, line), labelled(texts.kind, kind), meaning],
    controls(checkButton(), helpOf(tell, graph)),
    ...[status, after],
    ...[helpOf(faultCount()), kindList(kinds), helpOf(anotherFault(seed))],
  );
}

// Returns a select box of the kinds of faults, with the selected kind's description.
function kindChoice(kinds, id) {
  const names = kinds.map(each => each.kind);
  const meaning = make('p.soft', { id: `${id}-meaning`, 'aria-live': 'polite' });
  const explain = () => {
    const found = kinds.find(each => each.kind === kind.value);
    meaning.textContent = found ? `${found.words}.` : '';
  };
  const attributes = { id: `${id}-kind`, 'aria-describedby': meaning.id, onchange: explain };
  const kind = make('select', attributes);
  setOptions(kind, [faultTexts.chooseKind, ...names], ['', ...names]);
  drafted(kind);
  explain();
  return { kind, meaning };
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
    go(['learn', 'fault', '--seed', wanted, ...learner.whose()]);
  };
  return controls(labelled(faultTexts.seed, other), button(faultTexts.another, open));
}
