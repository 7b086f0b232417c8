// The task to write an op's backward function (VJP) as formulas.

// Formats a number with at most four decimals.
function decimalText(number) {
  const text = number.toFixed(4).replace(/\.?0+$/, '');
  return text === '-0' ? '0' : text;
}

// Returns a table of a tensor's numbers. All axes except the last become rows.
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

// Shows a given tensor. `sizes` are its sizes or, for an input, the names of its axes.
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
  const wayText = 'See the gradients of these numbers step by step';
  way.append(commandLink(wayText, () => ['explain', task.op, ...inputs]));
  root.append(
    element('h2', `The backward function of ${task.op}`),
    ...task.text.map(each => element('p', each)),
    element('h3', 'Inputs'),
    scrolling(names, 'meaning of the names'),
    element('p', `Here, ${sizesText.join(', ')}. dy is the upstream gradient of y.`),
    tensors,
    way,
  );
  return root;
}

// Joins the lines of a text with `; `. Omits empty lines and assignments without a formula: `dx =`.
function formulaOf(text) {
  const lines = text.split(/[\n;]/).map(line => line.trim());
  return lines.filter(line => line !== '' && !/^\w+\s*=$/.test(line)).join('; ');
}

const ruleStates = {
  right: '✓ correct',
  wrong: '✗ wrong',
  failed: '✗ can’t be computed',
  'not done': 'to do',
};

// Shows the command's feedback on one of the gradients.
function rulePart({ name, state, where, given, mistake, note }) {
  const result = element('div', undefined, 'part');
  result.dataset.state = state;
  const head = element('p');
  head.append(element('strong', name), ` ${ruleStates[state]}`);
  result.append(head);
  if (where) result.append(element('p', `${where} is ${given}, which is wrong.`));
  if (mistake) result.append(element('p', `Possible mistake: ${mistake}.`, 'note'));
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
      status.textContent = `Write a formula for ${task.wanted[0]} after the =.`;
      return area.focus();
    }
    const result = await learner.answer([...asked, formula, '--no-answers']);
    status.textContent = `${result.passed} of ${plural(task.wanted.length, 'gradient')} correct.`;
    parts.replaceChildren(...result.parts.map(rulePart));
    if (!result.right) return undefined;
    after.append('Solved for all tested sizes. Next: ', await nextAfterRule(task.rule));
    return undefined;
  }
  async function tellAll() {
    solution.textContent = (await learner.answer([...asked, '--solution'])).solution;
    solution.hidden = false;
    status.textContent = 'The answer is shown, which is recorded.';
  }
  const tell = confirmed(
    'Show the answer',
    'This shows the correct formula. Your submission will record it.',
    'Yes, show it',
    () => attempt(status, tellAll),
  );
  const key = `rule ${task.rule} ${learner.number}`;
  const { list, next } = hints(key, () => learner.answer([...asked, '--hint']));
  const names = task.given.map(each => each.name).join(', ');
  const about =
    `Use these names: ${names}, and the sizes. Write one assignment per line; you can use your ` +
    `own names for intermediate results.`;
  const form = answerForm('Your formula', status, check);
  const label = element('label', `Write ${task.wanted.join(', ')}, for any sizes and numbers`);
  form.append(attributed(label, { for: area.id }), area, element('p', about, 'soft'));
  form.append(controls(checkButton(), next, tell), status, parts, list, solution, after);
  form.append(await functionList(area));
  if (filled.length > 0) {
    area.value = filled.join('\n').replace(/;\s*/g, '\n');
    status.textContent = 'The link has filled in a formula; press Check to verify it.';
  }
  return form;
}

// Lists the functions that formulas can use. Pressing one inserts it into the formula.
async function functionList(area) {
  const signs =
    '+ - * / ^ act elementwise and broadcast; @ is the matmul, .T the transpose; ( ) as usual.';
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
  if (!next) return firstFault();
  return learnLink(`the backward function of ${next.title}`, 'rule', next.rule);
}
