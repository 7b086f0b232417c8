// A network in which one gradient rule is wrong: which, and how?

// The values and gradients of a line are as many tables, side by side.
function faultLine(line, i) {
  const root = element('li', undefined, 'tape-line');
  const inputs = line.inputs.length > 0 ? `(${line.inputs.join(', ')})` : '';
  const head = element('p');
  head.append(element('strong', `${i}  ${line.op}${inputs}`));
  if (line.shape) head.append(element('span', ` (${line.shape.join(', ')})`, 'soft'));
  root.append(head);
  if (line.rule) root.append(element('p', line.rule, 'rule-text'));
  const both = element('div', undefined, 'tensors');
  for (const [name, content] of [['value', line.value], ['gradient', line.gradient]]) {
    if (content === undefined) continue;
    const figure = element('figure');
    const table = numberTable([content].flat(Infinity), line.shape ?? [], number => number.toFixed(4));
    figure.append(element('figcaption', name, 'soft'), scrolling(table, `${name} of line ${i}`));
    both.append(figure);
  }
  root.append(both);
  return root;
}

const kindsOfFaults = (() => {
  let found = null;
  return () => (found ??= engine.json(['learn', 'fault', '--kinds']));
})();

async function faultView(words) {
  const seed = optionOf(words, 'seed', '0');
  const asked = ['learn', 'fault', '--seed', seed];
  const kinds = await kindsOfFaults();
  const { network } = await engine.json(asked);
  const { expression, lines } = network;
  const view = element('article', undefined, 'lesson');
  const text = element('div', undefined, 'text');
  text.append(
    element('h2', `Find the fault: seed ${seed}`),
    element('p', `The tape of ${expression}. The rules beside the lines are right. But one of them was carried out wrongly, so its gradients are wrong, and all that follow from them.`),
    element('p', 'Begin at the bottom, with a pencil: find the first gradient that doesn’t follow from those below it. What betrays the fault is the gradient of an input; the line to name is the one whose rule sent it.'),
  );
  const list = element('ol', undefined, 'tape');
  list.append(...lines.map(faultLine));
  text.append(list);
  if (lines.some(line => line.rule?.includes("'")))
    text.append(element('p', "A name with a prime, ', is the rule's own, and no variable.", 'soft'));

  const form = element('form', undefined, 'answer');
  const line = setOptions(
    element('select'),
    ['choose a line', ...lines.map((each, i) => `${i}  ${each.op}${each.inputs.length > 0 ? `(${each.inputs.join(', ')})` : ''}`)],
    ['', ...lines.keys()],
  );
  const kind = setOptions(element('select'), ['choose a kind', ...kinds.map(each => each.kind)], ['', ...kinds.map(each => each.kind)]);
  const meaning = attributed(element('p', '', 'soft'), { id: `fault-${seed}-kind`, 'aria-live': 'polite' });
  kind.setAttribute('aria-describedby', meaning.id);
  const status = statusLine();
  const count = element('p', '', 'soft');
  const after = element('p');
  const say = () => {
    const found = kinds.find(each => each.kind === kind.value);
    meaning.textContent = found ? `${found.words}.` : '';
  };
  kind.addEventListener('change', say);
  const drawCount = () => {
    const seeds = new Set(learner.lines.filter(each => each.task === 'fault').map(each => each.exercise));
    const found = [...seeds].filter(each => learner.state('fault', each) === 'solved').length;
    count.textContent = seeds.size === 0 ? '' : `Found in this page: ${found} of ${plural(seeds.size, 'fault')} that you tried.`;
  };
  learner.changed.add(drawCount);
  drawCount();

  async function check() {
    if (line.value === '' || kind.value === '') {
      status.textContent = 'Choose a line and a kind.';
      return (line.value === '' ? line : kind).focus();
    }
    const { right, right_line: isLine } = await learner.answer([...asked, '--answer', `${line.value} ${kind.value}`, '--no-answers']);
    status.textContent = right
      ? `Right: line ${line.value}, ${kind.value}.`
      : isLine
        ? 'The line is right, and the kind isn’t.'
        : 'No, not this line.';
    tell.hidden = right;
    after.replaceChildren();
    if (right) after.append('Next: ', learnLink(`the fault with seed ${Number(seed) + 1}`, 'fault', '--seed', String(Number(seed) + 1)));
    return undefined;
  }
  const tell = confirmed(
    'Say where the first wrong number is',
    'This shows the first wrong number from the bottom, and what it should be. What you hand in will say so.',
    'Show it',
    () =>
      attempt(status, async () => {
        const { first_wrong: first } = await engine.json([...asked, '--answer', `${line.value} ${kind.value}`]);
        status.textContent = `From the bottom, ${first}.`;
        tell.hidden = true;
        await learner.noteShown('fault', seed);
      }),
  );
  tell.hidden = true;
  const shown = new Shown(`fault ${seed}, with its graph`);
  const graph = button('Show it as a graph', () =>
    attempt(status, async () => {
      const { status: code, err } = await engine.run([...asked, '--out', 'fault.html']);
      if (code !== 0) throw new Error(messageOf(err, code));
      shown.show(await engine.read('fault.html'));
      shown.root.scrollIntoView();
    }),
  );
  const buttons = element('div', undefined, 'choose');
  buttons.append(Object.assign(element('button', 'Check'), { type: 'submit', className: 'main' }), tell, graph);
  const all = element('details');
  const terms = element('dl');
  for (const each of kinds) terms.append(element('dt', each.kind), element('dd', `${each.words}.`));
  all.append(element('summary', 'All kinds of faults'), terms);
  const other = attributed(element('input'), { type: 'number', min: '0', value: seed });
  const another = element('div', undefined, 'choose');
  another.append(
    labelled('Seed', other),
    button('Another fault', () => go(['learn', 'fault', '--seed', other.value === seed || other.value === '' ? String(Number(seed) + 1) : other.value, ...learner.whose()])),
  );
  form.append(element('h3', 'Your answer'), labelled('Line whose rule is wrong', line), labelled('How it is wrong', kind), meaning, buttons, status, after, count, all, another);
  form.addEventListener('submit', event => {
    event.preventDefault();
    attempt(status, check);
  });
  text.append(shown.root);
  view.append(text, form);
  return view;
}
