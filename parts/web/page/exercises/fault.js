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
  const root = element('li', undefined, 'tape-line');
  const head = element('p');
  const shape = line.shape ?? [];
  head.append(element('strong', faultLineName(line, i)));
  if (line.shape) head.append(element('span', ` (${shape.join(', ')})`, 'soft'));
  root.append(head);
  if (line.rule) root.append(element('p', line.rule, 'rule-text'));
  const both = element('div', undefined, 'tensors');
  for (const [at, name] of ['value', 'gradient'].entries()) {
    if (line[name] === undefined) continue;
    const title = faultTexts.columns[at];
    const figure = element('figure');
    const values = [line[name]].flat(Infinity);
    const table = numberTable(shape, at => numberText(values[at]));
    const content = scrolling(table, faultTexts.of(title, i));
    figure.append(element('figcaption', title, 'soft'), content);
    both.append(figure);
  }
  root.append(both);
  return root;
}

async function faultView(words) {
  const seed = optionOf(words, 'seed', '0');
  const { network } = await engine.json(['learn', 'fault', '--seed', seed, ...learner.whose()]);
  const shown = new Shown(faultTexts.frame(seed));
  const text = faultText(seed, network);
  text.append(shown.root);
  const view = element('article', undefined, 'lesson');
  view.append(text, faultForm(seed, network.lines, await kindsOfFaults(), shown));
  return view;
}

function faultText(seed, { expression, lines }) {
  const root = element('div', undefined, 'text');
  const list = element('ol', undefined, 'fault-tape');
  list.append(...lines.map(faultLine));
  root.append(
    element('h2', faultTexts.title(seed)),
    inlineCode(element('p'), faultTexts.tape(expression)),
    element('p', faultTexts.how),
    list,
  );
  if (lines.some(line => line.rule?.includes("'")))
    root.append(element('p', faultTexts.prime, 'soft'));
  return root;
}

function faultForm(seed, lines, kinds, shown) {
  const texts = faultTexts;
  const asked = ['learn', 'fault', '--seed', seed];
  const status = statusLine();
  const after = element('p');
  const id = `fault-${seed}-${learner.number}`;
  const line = attributed(element('select'), { id: `${id}-line` });
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
  const tell = confirmed(texts.show, texts.sure, texts.yes, () => attempt(status, tellAll));
  const graph = button(texts.graph, () => attempt(status, showGraph));
  const form = answerForm(texts.form, status, check);
  form.append(labelled(texts.line, line), labelled(texts.kind, kind), meaning);
  form.append(controls(checkButton(), ...helpOf(tell, graph)), status, after);
  form.append(...helpOf(faultCount()), kindList(kinds), ...helpOf(anotherFault(seed)));
  return form;
}

// Returns a select box of the kinds of faults, with the selected kind's description.
function kindChoice(kinds, id) {
  const names = kinds.map(each => each.kind);
  const kind = attributed(element('select'), { id: `${id}-kind` });
  setOptions(kind, [faultTexts.chooseKind, ...names], ['', ...names]);
  const meaning = attributed(element('p', '', 'soft'), {
    id: `${id}-meaning`,
    'aria-live': 'polite',
  });
  kind.setAttribute('aria-describedby', meaning.id);
  const explain = () => {
    const found = kinds.find(each => each.kind === kind.value);
    meaning.textContent = found ? `${found.words}.` : '';
  };
  kind.addEventListener('change', explain);
  drafted(kind);
  explain();
  return { kind, meaning };
}

function kindList(kinds) {
  const details = element('details');
  const terms = element('dl');
  for (const { kind, words } of kinds)
    terms.append(element('dt', kind), element('dd', `${words}.`));
  details.append(element('summary', faultTexts.kinds), terms);
  return details;
}

function faultCount() {
  const result = element('p', '', 'soft');
  const draw = () => {
    const lines = learner.lines.filter(each => each.task === 'fault');
    const seeds = [...new Set(lines.map(each => each.exercise))];
    const found = seeds.filter(seed => learner.state('fault', seed) === 'solved').length;
    result.textContent = seeds.length === 0 ? '' : faultTexts.found(found, seeds.length);
  };
  learner.changed.add(draw);
  draw();
  return result;
}

// Returns a form to open the fault with another seed, by default the next one.
function anotherFault(seed) {
  const other = attributed(element('input'), { type: 'number', min: '0', value: seed });
  const open = () => {
    const isNext = other.value === '' || other.value === seed;
    const wanted = isNext ? String(Number(seed) + 1) : other.value;
    go(['learn', 'fault', '--seed', wanted, ...learner.whose()]);
  };
  return controls(labelled(faultTexts.seed, other), button(faultTexts.another, open));
}
