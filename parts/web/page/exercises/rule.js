// The task to write an op's backward function (VJP) as formulas.

const ruleTexts = t('rule');

// Shows a given tensor. `sizes` are its sizes or, for an input, the names of its axes.
function givenTensor({ name, shape, values, sizes = shape }) {
  const text = shape.length === 0 ? t('aNumber') : `(${sizes.join(', ')})`;
  return make(
    'figure.given',
    make('figcaption', make('strong', name), make('span.soft', text)),
    scrolling(numberTable(shape, i => numberText(values[i])), name),
  );
}

function ruleText(task) {
  const derived = task.given.filter(({ formula }) => formula !== undefined);
  const formulas = [{ name: 'y', formula: task.op }, ...derived].map(
    ({ name, formula }) => `${name} = ${formula}`,
  );
  const sizes = Object.entries(task.sizes).map(each => each.join(' = '));
  const hasHand = taskKinds['by hand'].names().includes(task.rule) && !learner.isExam;
  return make(
    'div.text',
    make('h2', ruleTexts.titleOf(task.op)),
    task.text.map(each => make('p', each)),
    make('h3', ruleTexts.inputs),
    scrolling(make('pre', formulas.join('\n')), ruleTexts.names),
    make('p', ruleTexts.here(sizes.join(', '))),
    make('div.tensors', task.given.map(givenTensor)),
    hasHand && make('p', ruleTexts.byHand, taskLink('by hand', task.rule)),
  );
}

// Joins the lines of a text with `; `. Omits empty lines and assignments without a formula: `dx =`.
function formulaOf(text) {
  const lines = text.split(/[\n;]/).map(line => line.trim());
  return lines.filter(line => line !== '' && !/^\w+\s*=$/.test(line)).join('; ');
}

// Shows the command's feedback on one of the gradients.
function rulePart({ name, state, where, given, mistake, note }) {
  return make(
    'div.part',
    { 'data-state': state },
    make('p.state', make('strong.mono', name), ` ${learnerTexts.parts[state]}`),
    where && make('p', ruleTexts.isWrong(where, given)),
    mistake && make('p.note', ruleTexts.mistake(mistake)),
    note && make('p', `${note}.`),
  );
}

function formulaArea(task) {
  const submit = event => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    area.form.requestSubmit();
  };
  const area = make('textarea.formula', {
    id: `rule-${task.rule}-${learner.number}`,
    rows: Math.max(3, task.wanted.length + 1),
    onkeydown: submit,
    ...plainText,
  });
  area.value = task.wanted.map(name => `${name} = `).join('\n');
  return drafted(area);
}

async function ruleForm(task, name, filled) {
  const texts = ruleTexts;
  const area = formulaArea(task);
  const parts = make('div', { 'aria-live': 'polite' });
  const solution = make('pre', { hidden: true });
  if (filled.length > 0) area.value = filled.join('\n').replace(/;\s*/g, '\n');
  return taskForm({
    kind: 'rule',
    name,
    contents: [
      make('label', { for: area.id }, texts.write(task.wanted.join(', '))),
      area,
      make('p.soft', texts.about(task.given.map(each => each.name).join(', '))),
      make('p.soft', texts.notation),
    ],
    given() {
      parts.replaceChildren();
      return [formulaOf(area.value)].filter(Boolean);
    },
    none: texts.none(task.wanted[0]),
    focus: () => area.focus(),
    show(result) {
      parts.replaceChildren(...result.parts.map(rulePart));
      return learnerTexts.passed(result.passed, task.wanted.length);
    },
    tell(result) {
      solution.textContent = result.solution;
      solution.hidden = false;
      return texts.shown;
    },
    isFilled: filled.length > 0,
    feedback: [parts, solution],
    below: await functionList(area),
  });
}

// Lists the functions that formulas can use. Pressing one inserts it into the formula.
async function functionList(area) {
  const insert = name => {
    area.setRangeText(`${name}(`, area.selectionStart, area.selectionEnd, 'end');
    area.focus();
  };
  const item = ({ name, call, formula }) =>
    make('li', button(call, () => insert(name), { class: 'mono' }), make('p.soft', formula));
  const list = make('ul.functions', (await engine.json(['ops'])).map(item));
  const { functions, signs, functionsName } = ruleTexts;
  const summary = make('summary', functions);
  return make('details', summary, make('p.soft', signs), scrolling(list, functionsName));
}

taskKinds.rule = {
  texts: ruleTexts,
  words: name => ['learn', 'rule', name],
  names: () => course.rules.map(each => each.rule),
  label: name => course.rules.find(each => each.rule === name)?.title ?? name,
  title: name => ruleTexts.title(taskKinds.rule.label(name)),
  text: ruleText,
  form: ruleForm,
  blanks: task => task.wanted.map(printTexts.answer).join('   '),
  solution: ({ solution }) => solution,
};
