// The task to write an op's backward function (VJP) as formulas.

const ruleTexts = t('rule');

// Shows a given tensor. `sizes` are its sizes or, for an input, the names of its axes.
function givenTensor({ name, shape, values, sizes = shape }) {
  const figure = element('figure', undefined, 'given');
  const caption = element('figcaption');
  const text = shape.length === 0 ? ruleTexts.number : `(${sizes.join(', ')})`;
  caption.append(element('strong', name), element('span', text, 'soft'));
  figure.append(caption, scrolling(numberTable(shape, i => numberText(values[i])), name));
  return figure;
}

async function ruleView(words) {
  const task = await engine.json(['learn', 'rule', words[2], ...learner.whose()]);
  const view = element('article', undefined, 'lesson');
  const text = ruleText(task);
  const { exercises } = await course();
  const byHand = exercises.find(each => each.name === task.rule);
  if (byHand && !learner.isExam) {
    const way = element('p', ruleTexts.byHand);
    way.append(learnLink(byHandTexts.exercise(byHand), String(byHand.exercise)));
    text.append(way);
  }
  view.append(text, await ruleForm(task, words.slice(3)));
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
  root.append(
    element('h2', ruleTexts.title(task.op)),
    ...task.text.map(each => element('p', each)),
    element('h3', ruleTexts.inputs),
    scrolling(names, ruleTexts.names),
    element('p', ruleTexts.here(sizesText.join(', '))),
    tensors,
  );
  return root;
}

// Joins the lines of a text with `; `. Omits empty lines and assignments without a formula: `dx =`.
function formulaOf(text) {
  const lines = text.split(/[\n;]/).map(line => line.trim());
  return lines.filter(line => line !== '' && !/^\w+\s*=$/.test(line)).join('; ');
}

// Shows the command's feedback on one of the gradients.
function rulePart({ name, state, where, given, mistake, note }) {
  const result = element('div', undefined, 'part');
  result.dataset.state = state;
  const head = element('p');
  head.append(element('strong', name), ` ${ruleTexts.states[state]}`);
  result.append(head);
  if (where) result.append(element('p', ruleTexts.isWrong(where, given)));
  if (mistake) result.append(element('p', ruleTexts.mistake(mistake), 'note'));
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
  drafted(area);
  area.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    area.form.requestSubmit();
  });
  return area;
}

async function ruleForm(task, filled) {
  const texts = ruleTexts;
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
  const tell = confirmed(texts.show, texts.sure, texts.yes, () => attempt(status, tellAll));
  const key = `rule ${task.rule} ${learner.number}`;
  const { list, next } = hints(key, () => learner.answer([...asked, '--hint']));
  const form = answerForm(texts.form, status, check);
  const label = element('label', texts.write(task.wanted.join(', ')));
  form.append(attributed(label, { for: area.id }), area);
  form.append(element('p', texts.about(task.given.map(each => each.name).join(', ')), 'soft'));
  form.append(element('p', texts.notation, 'soft'));
  form.append(controls(checkButton(), ...helpOf(next, tell)));
  form.append(status, parts, list, solution, after, await functionList(area));
  if (filled.length > 0) {
    area.value = filled.join('\n').replace(/;\s*/g, '\n');
    status.textContent = texts.filled;
  }
  return form;
}

// Lists the functions that formulas can use. Pressing one inserts it into the formula.
async function functionList(area) {
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
  const { functions, signs, list: name } = ruleTexts;
  details.append(element('summary', functions), element('p', signs, 'soft'));
  details.append(scrolling(list, name));
  return details;
}

async function nextAfterRule(name) {
  const { rules } = await course();
  const next = rules[rules.findIndex(each => each.rule === name) + 1];
  if (!next) return firstFault();
  return learnLink(ruleTexts.next(next.title), 'rule', next.rule);
}
