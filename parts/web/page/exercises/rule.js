// A gradient rule, to be written as a formula.

// With at most four decimals.
function decimalText(number) {
  const text = number.toFixed(4).replace(/\.?0+$/, '');
  return text === '-0' ? '0' : text;
}

// A tensor's numbers as a table of rows; more axes are rows too.
function numberTable(values, shape, textOf = decimalText) {
  const columns = columnsOf(shape);
  const table = element('table', undefined, 'matrix');
  for (let at = 0; at < values.length; at += columns) {
    const row = element('tr');
    row.append(...values.slice(at, at + columns).map(value => element('td', textOf(value))));
    table.append(row);
  }
  return table;
}

// `sizes` are the names of an input's axes.
function givenTensor({ name, shape, values, sizes = shape }) {
  const figure = element('figure', undefined, 'given');
  const caption = element('figcaption');
  const text = shape.length === 0 ? 'a number' : `(${sizes.join(', ')})`;
  caption.append(element('strong', name), element('span', text, 'soft'));
  figure.append(caption, scrolling(numberTable(values, shape), name));
  return figure;
}

const valueWord = ({ name, shape, values }) => `${name}=${valueText(values, shape)}`;

async function ruleView(words) {
  const task = await engine.json(['learn', 'rule', words[2], ...learner.whose()]);
  const view = element('article', undefined, 'lesson');
  view.append(ruleText(task), await ruleForm(task, words.slice(3)));
  return view;
}

function ruleText(task) {
  const root = element('div', undefined, 'text');
  const derived = task.given.filter(({ formula }) => formula !== undefined);
  const formulas = [{ name: 'y', formula: task.op }, ...derived].map(
    ({ name, formula }) => `${name} = ${formula}`,
  );
  const sizesText = Object.entries(task.sizes).map(each => each.join(' = '));
  const names = element('pre', formulas.join('\n'));
  const tensors = element('div', undefined, 'tensors');
  tensors.append(...task.given.map(givenTensor));
  const isInput = ({ name, formula }) => name !== 'y' && formula === undefined;
  const inputs = task.given.filter(isInput).map(valueWord);
  const way = element('p');
  const wayText = 'See the gradients of these numbers, step by step';
  way.append(commandLink(wayText, () => ['explain', task.op, ...inputs]));
  root.append(
    element('h2', `The rule of ${task.op}`),
    ...task.text.map(each => element('p', each)),
    element('h3', 'What is given'),
    scrolling(names, 'what the names are'),
    element('p', `Here, ${sizesText.join(', ')}. dy is the gradient that arrives at y.`),
    tensors,
    way,
  );
  return root;
}

// One assignment on a line; those without a formula are still to do.
function formulaOf(text) {
  const lines = text.split(/[\n;]/).map(line => line.trim());
  return lines.filter(line => line !== '' && !/^\w+\s*=$/.test(line)).join('; ');
}

const ruleStates = {
  right: '✓ right',
  wrong: '✗ wrong',
  failed: '✗ it can’t be computed',
  'not done': 'still to do',
};

// What the command said to one of the gradients.
function rulePart({ name, state, where, given, mistake, note }) {
  const result = element('div', undefined, 'part');
  result.dataset.state = state;
  const head = element('p');
  head.append(element('strong', name), ` ${ruleStates[state]}`);
  result.append(head);
  if (where) result.append(element('p', `${where} is ${given}, and should be another number.`));
  if (mistake) result.append(element('p', `It looks like this mistake: ${mistake}.`, 'note'));
  if (note) result.append(element('p', `${note}.`));
  return result;
}

function formulaArea(task) {
  const area = attributed(element('textarea', undefined, 'formula'), {
    id: `rule-${task.rule}-${learner.number}`,
    rows: String(Math.max(3, task.wanted.length + 1)),
    ...plainText,
  });
  area.value = task.wanted.map(name => `${name} = `).join('\n');
  area.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    area.form.requestSubmit();
  });
  return area;
}

async function ruleForm(task, filled) {
  const asked = ['learn', 'rule', task.rule];
  const area = formulaArea(task);
  const status = statusLine();
  const parts = attributed(element('div'), { 'aria-live': 'polite' });
  const solution = element('pre');
  const after = element('p');
  solution.hidden = true;

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
    if (!result.right) return undefined;
    after.append('Solved, at all sizes that were tried. Next: ', await nextAfterRule(task.rule));
    return undefined;
  }
  async function tellAll() {
    solution.textContent = (await learner.answer([...asked, '--solution'])).solution;
    solution.hidden = false;
    status.textContent = 'The answer is shown, and that is recorded.';
  }
  const tell = confirmed(
    'Show the answer',
    'This shows the right formula. It is recorded: what you hand in will say that it was shown.',
    'Show it',
    () => attempt(status, tellAll),
  );
  const key = `rule ${task.rule} ${learner.number}`;
  const { list, next } = hints(key, () => learner.answer([...asked, '--hint']));
  const names = task.given.map(each => each.name).join(', ');
  const about =
    `Use the names that are given: ${names}, and the sizes. One assignment on a line; a name of ` +
    'your own may stand for what is on the way.';
  const form = answerForm('Your formula', status, check);
  const label = element('label', `Write ${task.wanted.join(', ')}, for any sizes and numbers`);
  form.append(attributed(label, { for: area.id }), area, element('p', about, 'soft'));
  form.append(controls(checkButton(), next, tell), status, parts, list, solution, after);
  form.append(await functionList(area));
  if (filled.length > 0) {
    area.value = filled.join('\n').replace(/;\s*/g, '\n');
    status.textContent = 'The link has filled in a formula; Check says whether it is right.';
  }
  return form;
}

// Functions of the language; a press puts one into the formula.
async function functionList(area) {
  const signs =
    '+ - * / ^ act on each element, and repeat what is smaller; @ is the product of matrices, .T ' +
    'the transposed one; ( ) as usual.';
  const list = element('ul', undefined, 'functions');
  for (const op of await engine.json(['ops'])) {
    const insert = button(op.call, () => {
      area.setRangeText(`${op.name}(`, area.selectionStart, area.selectionEnd, 'end');
      area.focus();
    });
    const item = element('li');
    item.append(insert, element('p', op.formula, 'soft'));
    list.append(item);
  }
  const details = element('details');
  details.append(element('summary', 'Operators and functions'), element('p', signs, 'soft'));
  details.append(scrolling(list, 'functions'));
  return details;
}

async function nextAfterRule(name) {
  const { rules } = await course();
  const next = rules[rules.findIndex(each => each.rule === name) + 1];
  return next ? learnLink(`the rule ${next.title}`, 'rule', next.rule) : firstFault();
}
