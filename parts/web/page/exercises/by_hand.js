// The view of a course exercise: its text, and fields for the numbers to compute by hand.

const byHandTexts = t('byHand');

// An input field for one number, with feedback on the answer.
class NumberField {
  constructor(name, id) {
    this.name = name;
    this.said = make('span.said', { id: `${id}-said` });
    const attributes = { id, 'aria-describedby': this.said.id, ...plainText };
    this.input = drafted(make('input', attributes, { oninput: () => this.say('', '') }));
    this.root = make('div.number', make('label.mono', { for: id }, name), this.input, this.said);
  }
  get answer() {
    const text = plainNumber(this.input.value);
    return text === '' ? null : `${this.name}=${text}`;
  }
  get isWrong() {
    return this.root.dataset.state === 'wrong';
  }
  say(state, text) {
    this.said.textContent = text;
    this.root.dataset.state = state;
    this.input.setAttribute('aria-invalid', String(state === 'wrong'));
  }
  show({ state, given, expected, note }) {
    const { states, wrong, should, toDo } = byHandTexts;
    const isNumber = Number.isFinite(Number(given)); // otherwise the note says what is expected
    const remarks = [wrong(given), expected && should(expected), !isNumber && note];
    if (states[state]) this.say(state, states[state]);
    if (state === 'wrong') this.say(state, remarks.filter(Boolean).join('; '));
    if (state === 'not done') this.say(state, toDo);
  }
}

async function byHandView(words) {
  const task = await engine.json(['learn', words[1], ...learner.whose()]);
  if (task.numbers.length === 0) throw new Error(byHandTexts.codeOnly(task.exercise));
  const { title, root: text } = courseText(task.text);
  text.prepend(make('h2', title));
  return make('article.lesson', text, byHandForm(task, words.slice(2)));
}

function byHandForm(task, filled) {
  const texts = byHandTexts;
  const exercise = ['learn', String(task.exercise)];
  const fieldOf = name => new NumberField(name, `${task.name}-${learner.number}-${name}`);
  const fields = task.numbers.map(fieldOf);
  const answers = () => fields.map(field => field.answer).filter(Boolean);
  const status = statusLine();
  const after = make('p');

  async function check() {
    after.replaceChildren();
    if (answers().length === 0) {
      status.textContent = texts.none;
      return fields[0].input.focus();
    }
    const result = await learner.answer([...exercise, ...answers()]);
    const attempt = learner.attemptText('by hand', task.name);
    if (learner.isExam) return (status.textContent = attempt);
    result.parts.forEach((part, i) => fields[i].show(part));
    status.textContent = `${texts.passed(result.passed, fields.length)} ${attempt}`;
    if (result.right) return after.append(texts.solved, await nextAfterHand(task));
    return fields.find(field => field.isWrong)?.input.focus();
  }
  async function tellAll() {
    const { solution } = await learner.answer([...exercise, '--solution']);
    for (const field of fields) {
      const expected = Number(solution[field.name].toPrecision(6));
      field.say(field.root.dataset.state, texts.should(expected));
    }
  }
  const tell = confirmed(texts.show, texts.sure, learnerTexts.yes, () => attempt(status, tellAll));
  const key = `by hand ${task.name} ${learner.number}`;
  const { list, next } = hints(key, () => learner.answer([...exercise, '--hint']));
  fillIn(fields, filled, status);
  return answerForm(
    ...[texts.title, status, check],
    make('p.soft', texts.about + (learner.isExam ? '' : texts.some)),
    fields.map(field => field.root),
    controls(checkButton(), helpOf(next, tell)),
    ...[status, list, after],
  );
}

// Fills in numbers from a link, such as 'y0=1/3'.
function fillIn(fields, filled, status) {
  for (const word of filled) {
    const field = fields.find(each => word.startsWith(`${each.name}=`));
    if (!field) continue;
    field.input.value = word.slice(field.name.length + 1);
    status.textContent = byHandTexts.filled;
  }
}

const firstFault = () => learnLink(byHandTexts.fault, 'fault', '--seed', '1');

// Returns a link to the task about the same op's backward function, or to the next exercise.
async function nextAfterHand({ exercise, name }) {
  const { exercises, rules } = await course();
  const rule = rules.find(each => each.rule === name);
  if (rule) return learnLink(byHandTexts.rule(rule.title), 'rule', name);
  const next = exercises.find(each => each.exercise > exercise);
  if (!next) return firstFault();
  return learnLink(byHandTexts.exercise(next), String(next.exercise));
}
