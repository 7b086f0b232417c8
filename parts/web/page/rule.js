// A gradient rule, to be written as a formula.

// With at most four decimals.
function decimalText(number) {
  const text = number.toFixed(4).replace(/\.?0+$/, '');
  return text === '-0' ? '0' : text;
}

// A tensor's numbers as a table of rows; more axes are rows too.
function numberTable(values, shape, textOf = decimalText) {
  const columns = shape.length === 0 ? 1 : shape[shape.length - 1];
  const table = element('table', undefined, 'matrix');
  for (let at = 0; at < values.length; at += columns) {
    const row = element('tr');
    for (const value of values.slice(at, at + columns)) row.append(element('td', textOf(value)));
    table.append(row);
  }
  return table;
}

function givenTensor({ name, shape, values }, sizes) {
  const figure = element('figure', undefined, 'given');
  const caption = element('figcaption');
  const text = sizes ?? (shape.length === 0 ? 'a number' : `(${shape.join(', ')})`);
  caption.append(element('strong', name), element('span', text, 'soft'));
  figure.append(caption, scrolling(numberTable(values, shape), name));
  return figure;
}

// As `explain` reads it.
function valueWord({ name, shape, values }) {
  if (shape.length === 0) return `${name}=${values[0]}`;
  const columns = shape[shape.length - 1];
  const text = values.map((value, i) => (i === 0 ? '' : i % columns === 0 ? '; ' : ', ') + value);
  return `${name}=[${text.join('')}]`;
}

// What the text of a task says of its names: { p: 'softmax(x)' }, and { x: '(rows, columns)' }.
function namesIn(text) {
  const definitions = {}, sizes = {};
  for (const line of text.split('\n')) {
    const [, name, formula] = /^ {2}(\w+) = (.*?)(?: {4}.*)?$/.exec(line) ?? [];
    if (name && name !== 'y') definitions[name] = formula;
    const [, sized, shape] = /^ {2}(\w+) +(\([\w, ]+\))( |$)/.exec(line) ?? [];
    if (sized) sizes[sized] = shape;
  }
  return { definitions, sizes };
}

// Functions of the language; a press puts one into the formula.
async function functionList(area) {
  const ops = await engine.json(['ops']);
  const details = element('details');
  details.append(element('summary', 'Operators and functions'));
  const signs = '+ - * / ^ act on each element, and repeat what is smaller; @ is the product of matrices, .T the transposed one; ( ) as usual.';
  details.append(element('p', signs, 'soft'));
  const list = element('ul', undefined, 'functions');
  for (const op of ops) {
    const insert = button(op.call, () => {
      area.setRangeText(`${op.name}(`, area.selectionStart, area.selectionEnd, 'end');
      area.focus();
    });
    const item = element('li');
    item.append(insert, element('p', op.formula, 'soft'));
    list.append(item);
  }
  details.append(scrolling(list, 'functions'));
  return details;
}

// One assignment on a line; those without a formula are still to do.
function formulaOf(text) {
  const lines = text.split(/[\n;]/).map(line => line.trim());
  return lines.filter(line => line !== '' && !/^\w+\s*=$/.test(line)).join('; ');
}

function rulePart({ name, state, where, given, expected, mistake, note }) {
  const result = element('div', undefined, 'part');
  result.dataset.state = state;
  const words = { right: '✓ right', wrong: '✗ wrong', failed: '✗ it can’t be computed', 'not done': 'still to do' };
  const line = element('p');
  line.append(element('strong', name), ` ${words[state] ?? state}`);
  result.append(line);
  if (where) result.append(element('p', `${where} is ${given}${expected ? `, and should be ${expected}` : ', and that is not what the engine has'}.`));
  if (mistake) result.append(element('p', `It looks like this mistake: ${mistake}.`, 'note'));
  if (note) result.append(element('p', `${note}.`));
  return result;
}

async function ruleView(words) {
  const name = words[2];
  const asked = ['learn', 'rule', name];
  const task = await engine.json([...asked, ...learner.whose()]);
  const { out } = await engine.run([...asked, ...learner.whose()]);
  const { definitions, sizes } = namesIn(out);
  const view = element('article', undefined, 'lesson');
  const text = element('div', undefined, 'text');
  text.append(element('h2', `The rule of ${task.op}`), ...task.text.map(each => element('p', each)));
  text.append(element('h3', 'What is given'));
  const formulas = [`y = ${task.op}`, ...Object.entries(definitions).map(([each, formula]) => `${each} = ${formula}`)];
  const sizeText = Object.entries(task.sizes).map(([each, size]) => `${each} = ${size}`).join(', ');
  text.append(scrolling(element('pre', formulas.join('\n')), 'what the names are'));
  text.append(element('p', `These numbers have ${sizeText}. dy is the gradient that arrives at y.`));
  const tensors = element('div', undefined, 'tensors');
  tensors.append(...task.given.map(each => givenTensor(each, sizes[each.name])));
  text.append(tensors);
  const inputs = task.given.filter(each => each.name !== 'y' && !(each.name in definitions));
  const inStep = commandLink('See the gradients of these numbers, step by step', () => [
    'explain',
    task.op,
    ...inputs.map(valueWord),
  ]);
  const way = element('p');
  way.append(inStep);
  text.append(way);

  const form = element('form', undefined, 'answer');
  const area = attributed(element('textarea', undefined, 'formula'), {
    id: `rule-${task.rule}-${learner.number}`,
    rows: String(Math.max(3, task.wanted.length + 1)),
    spellcheck: 'false',
    autocapitalize: 'none',
    autocomplete: 'off',
  });
  area.value = task.wanted.map(each => `${each} = `).join('\n');
  const label = attributed(element('label', `Write ${task.wanted.join(', ')}, for any sizes and numbers`), { for: area.id });
  const status = statusLine();
  const parts = attributed(element('div'), { 'aria-live': 'polite' });
  const solution = element('pre');
  solution.hidden = true;
  const after = element('p');

  async function check() {
    const formula = formulaOf(area.value);
    parts.replaceChildren();
    after.replaceChildren();
    if (formula === '') {
      status.textContent = `Write what ${task.wanted[0]} is, after the =.`;
      return area.focus();
    }
    const result = await learner.answer([...asked, formula, '--no-answers']);
    status.textContent = `${result.passed} of ${plural(task.wanted.length, 'gradient')} right.`;
    parts.replaceChildren(...result.parts.map(rulePart));
    if (result.right) after.append('Solved, for all sizes and numbers that were tried. Next: ', await nextAfterRule(name));
    return undefined;
  }
  const { list, next } = hints(`rule ${name} ${learner.number}`, () => learner.answer([...asked, '--hint']));
  const tell = confirmed(
    'Show the answer',
    'This shows the right formula. It is recorded: what you hand in will say that it was shown.',
    'Show it',
    () =>
      attempt(status, async () => {
        const result = await learner.answer([...asked, '--solution']);
        solution.textContent = result.solution;
        solution.hidden = false;
        status.textContent = 'The answer is shown, and that is recorded.';
      }),
  );
  const buttons = element('div', undefined, 'choose');
  buttons.append(Object.assign(element('button', 'Check'), { type: 'submit', className: 'main' }), next, tell);
  const about =
    `Use the names that are given: ${task.given.map(each => each.name).join(', ')}, and the sizes. ` +
    'One assignment on a line; a name of your own may stand for what is on the way.';
  form.append(element('h3', 'Your formula'), label, area, element('p', about, 'soft'), buttons, status, parts, list, solution, after);
  form.append(await functionList(area));
  form.addEventListener('submit', event => {
    event.preventDefault();
    attempt(status, check);
  });
  area.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    attempt(status, check);
  });
  if (words.length > 3) {
    area.value = words.slice(3).join('\n').replace(/;\s*/g, '\n');
    status.textContent = 'The link has filled in a formula; Check says whether it is right.';
  }
  view.append(text, form);
  return view;
}

async function nextAfterRule(name) {
  const { rules } = await course();
  const next = rules[rules.findIndex(each => each.rule === name) + 1];
  return next ? learnLink(`the rule ${next.title}`, 'rule', next.rule) : learnLink("find others' mistakes", 'fault', '--seed', '1');
}
