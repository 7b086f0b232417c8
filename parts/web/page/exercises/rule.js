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

async function ruleView(words) {
  const task = await engine.json(['learn', 'rule', words[2], ...learner.whose()]);
  const text = ruleText(task);
  const { exercises } = await course();
  const byHand = exercises.find(each => each.name === task.rule);
  if (byHand && !learner.isExam) {
    const link = learnLink(byHandTexts.exercise(byHand), String(byHand.exercise));
    text.append(make('p', ruleTexts.byHand, link));
  }
  return make('article.lesson', text, await ruleForm(task, words.slice(3)));
}

function ruleText(task) {
  const derived = task.given.filter(({ formula }) => formula !== undefined);
  const formulas = [{ name: 'y', formula: task.op }, ...derived].map(
    ({ name, formula }) => `${name} = ${formula}`,
  );
  const sizes = Object.entries(task.sizes).map(each => each.join(' = '));
  return make(
    'div.text',
    make('h2', ruleTexts.title(task.op)),
    task.text.map(each => make('p', each)),
    make('h3', ruleTexts.inputs),
    scrolling(make('pre', formulas.join('\n')), ruleTexts.names),
    make('p', ruleTexts.here(sizes.join(', '))),
    make('div.tensors', task.given.map(givenTensor)),
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
    make('p.state', make('strong.mono', name), ` ${ruleTexts.states[state]}`),
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

async function ruleForm(task, filled) {
  const texts = ruleTexts;
  const asked = ['learn', 'rule', task.rule];
  const area = formulaArea(task);
  const status = statusLine();
  const parts = make('div', { 'aria-live': 'polite' });
  const solution = make('pre', { hidden: true });
  const after = make('p');

  async function check() {
    const formula = formulaOf(area.value);
    parts.replaceChildren();
    after.replaceChildren();
    if (formula === '') {
      status.textContent = texts.none(task.wanted[0]);
      return area.focus();
    }
    const result = await learner.answer([...asked, formula]);
    const attempt = learner.attemptText('rule', task.rule);
    if (learner.isExam) return (status.textContent = attempt);
    status.textContent = `${texts.passed(result.passed, task.wanted.length)} ${attempt}`;
    parts.replaceChildren(...result.parts.map(rulePart));
    return result.right && after.append(texts.solved, await nextAfterRule(task.rule));
  }
  async function tellAll() {
    solution.textContent = (await learner.answer([...asked, '--solution'])).solution;
    solution.hidden = false;
    status.textContent = texts.shown;
  }
  const tell = confirmed(learnerTexts.show, texts.sure, learnerTexts.yes, () => attempt(status, tellAll));
  const key = `rule ${task.rule} ${learner.number}`;
  const { list, next } = hints(key, () => learner.answer([...asked, '--hint']));
  if (filled.length > 0) {
    area.value = filled.join('\n').replace(/;\s*/g, '\n');
    status.textContent = texts.filled;
  }
  return answerForm(
    ...[texts.form, status, check],
    make('label', { for: area.id }, texts.write(task.wanted.join(', '))),
    area,
    make('p.soft', texts.about(task.given.map(each => each.name).join(', '))),
    make('p.soft', texts.notation),
    controls(checkButton(), helpOf(next, tell)),
    ...[status, parts, list, solution, after, await functionList(area)],
  );
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
  const { functions, signs, list: title } = ruleTexts;
  const summary = make('summary', functions);
  return make('details', summary, make('p.soft', signs), scrolling(list, title));
}

async function nextAfterRule(name) {
  const { rules } = await course();
  const next = rules[rules.findIndex(each => each.rule === name) + 1];
  if (!next) return firstFault();
  return learnLink(ruleTexts.next(next.title), 'rule', next.rule);
}
