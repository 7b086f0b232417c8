// The task to find the wrong backward function in a network, and its kind of fault.

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
  for (const name of ['value', 'gradient']) {
    if (line[name] === undefined) continue;
    const figure = element('figure');
    const table = numberTable([line[name]].flat(Infinity), shape, number => number.toFixed(4));
    const content = scrolling(table, `${name} of line ${i}`);
    figure.append(element('figcaption', name, 'soft'), content);
    both.append(figure);
  }
  root.append(both);
  return root;
}

async function faultView(words) {
  const seed = optionOf(words, 'seed', '0');
  const { network } = await engine.json(['learn', 'fault', '--seed', seed, ...learner.whose()]);
  const shown = new Shown(`fault ${seed}, with its graph`);
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
    element('h2', `Find the fault: seed ${seed}`),
    inlineCode(
      element('p'),
      `The tape of \`${expression}\`. The backward functions next to the lines are correct, but ` +
        `one was computed wrongly. The gradients it sent and all that depend on them are wrong.`,
    ),
    element(
      'p',
      'Start at the bottom, on paper: find the first gradient that doesn’t follow from those ' +
        'below it. Select the line whose backward function sent it, and how it is wrong.',
    ),
    list,
  );
  const prime = "A name with a prime (') is local to the backward function, not a variable.";
  if (lines.some(line => line.rule?.includes("'"))) root.append(element('p', prime, 'soft'));
  return root;
}

function faultForm(seed, lines, kinds, shown) {
  const asked = ['learn', 'fault', '--seed', seed];
  const status = statusLine();
  const after = element('p');
  const line = element('select');
  setOptions(line, ['choose a line', ...lines.map(faultLineName)], ['', ...lines.keys()]);
  const { kind, meaning } = kindChoice(kinds, `fault-${seed}-kind`);
  const answer = () => [...asked, '--answer', `${line.value} ${kind.value}`];

  async function check() {
    after.replaceChildren();
    const missing = [line, kind].find(each => each.value === '');
    if (missing) {
      status.textContent = 'Choose a line and a kind.';
      return missing.focus();
    }
    const { right, right_line: isLine } = await learner.answer([...answer(), '--no-answers']);
    tell.hidden = right;
    if (!right) {
      const isHalf = 'The line is correct, but the kind isn’t.';
      status.textContent = isLine ? isHalf : 'No, not this line.';
      return undefined;
    }
    status.textContent = `Correct: line ${line.value}, ${kind.value}.`;
    const next = String(Number(seed) + 1);
    const link = learnLink(`the fault with seed ${next}`, 'fault', '--seed', next);
    return after.append('Next: ', link);
  }
  async function tellFirst() {
    const { first_wrong: first } = await engine.json([...answer(), ...learner.whose()]);
    status.textContent = first ? `From the bottom, ${first}.` : 'This answer is correct: check it.';
    tell.hidden = true;
    await learner.noteShown('fault', seed);
  }
  async function showGraph() {
    const { status: code, err } = await engine.run([...asked, ...learner.whose(), '--out', 'fault.html']);
    if (code !== 0) throw new Error(messageOf(err, code));
    shown.show(await engine.read('fault.html'));
    shown.root.scrollIntoView();
  }
  const tell = confirmed(
    'Show the first wrong number',
    'This shows the first wrong number from the bottom and its correct value. Your submission ' +
      'will record it.',
    'Yes, show it',
    () => attempt(status, tellFirst),
  );
  tell.hidden = true;
  const graph = button('Show as a graph', () => attempt(status, showGraph));
  const form = answerForm('Your answer', status, check);
  form.append(labelled('Line with the wrong backward function', line));
  form.append(labelled('How it is wrong', kind), meaning);
  form.append(controls(checkButton(), tell, graph), status, after, faultCount());
  form.append(kindList(kinds), anotherFault(seed));
  return form;
}

// Returns a select box of the kinds of faults, with the selected kind's description.
function kindChoice(kinds, id) {
  const names = kinds.map(each => each.kind);
  const kind = setOptions(element('select'), ['choose a kind', ...names], ['', ...names]);
  const meaning = attributed(element('p', '', 'soft'), { id, 'aria-live': 'polite' });
  kind.setAttribute('aria-describedby', id);
  kind.addEventListener('change', () => {
    const found = kinds.find(each => each.kind === kind.value);
    meaning.textContent = found ? `${found.words}.` : '';
  });
  return { kind, meaning };
}

function kindList(kinds) {
  const details = element('details');
  const terms = element('dl');
  for (const { kind, words } of kinds)
    terms.append(element('dt', kind), element('dd', `${words}.`));
  details.append(element('summary', 'All kinds of faults'), terms);
  return details;
}

function faultCount() {
  const result = element('p', '', 'soft');
  const draw = () => {
    const lines = learner.lines.filter(each => each.task === 'fault');
    const seeds = [...new Set(lines.map(each => each.exercise))];
    const found = seeds.filter(seed => learner.state('fault', seed) === 'solved').length;
    result.textContent =
      seeds.length === 0 ? '' : `Found in this page: ${found} of ${seeds.length} tried.`;
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
  return controls(labelled('Seed', other), button('Another fault', open));
}
