// The view of a course exercise: its text, and fields for the numbers to compute by hand.

// Accepts a decimal comma and a typographic minus sign.
const plainNumber = text =>
  text.trim().replace(/^[−–]/, '-').replace(/^(-?\d*),(\d+)$/, '$1.$2');

// An input field for one number, with feedback on the answer.
class NumberField {
  constructor(name, id) {
    this.name = name;
    this.input = attributed(element('input'), { id, ...plainText });
    this.said = attributed(element('span', '', 'said'), { id: `${id}-said` });
    this.input.setAttribute('aria-describedby', this.said.id);
    this.input.addEventListener('input', () => this.say('', ''));
    const label = attributed(element('label', name), { for: id });
    this.root = element('div', undefined, 'number');
    this.root.append(label, this.input, this.said);
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
    const remarks = [`✗ ${given} is wrong`, expected && `should be ${expected}`, note];
    if (state === 'right') this.say(state, '✓ right');
    if (state === 'wrong') this.say(state, remarks.filter(Boolean).join('; '));
    if (state === 'not done') this.say(state, 'to do');
  }
}

async function byHandView(words) {
  const task = await engine.json(['learn', words[1], ...learner.whose()]);
  const { title, root: text } = courseText(task.text);
  text.prepend(element('h2', title));
  const view = element('article', undefined, 'lesson');
  const isByHand = task.numbers.length > 0;
  view.append(text, isByHand ? byHandForm(task, words.slice(2)) : await codeOnly(task));
  return view;
}

function byHandForm(task, filled) {
  const exercise = ['learn', String(task.exercise)];
  const fieldOf = name => new NumberField(name, `${task.name}-${learner.number}-${name}`);
  const fields = task.numbers.map(fieldOf);
  const answers = () => fields.map(field => field.answer).filter(Boolean);
  const show = ({ parts }) => parts.forEach((part, i) => fields[i].show(part));
  const status = statusLine();
  const after = element('p');

  async function check() {
    after.replaceChildren();
    if (answers().length === 0) {
      status.textContent = 'Enter at least one number. Fractions such as 1/3 are allowed.';
      return fields[0].input.focus();
    }
    const result = await learner.answer([...exercise, ...answers(), '--no-answers']);
    show(result);
    status.textContent = `${result.passed} of ${plural(fields.length, 'number')} correct.`;
    tell.hidden = !fields.some(field => field.isWrong);
    if (result.right) return after.append('Solved. Next: ', await nextAfterHand(task));
    return fields.find(field => field.isWrong)?.input.focus();
  }
  async function tellAll() {
    show(await engine.json([...exercise, ...answers(), ...learner.whose()]));
    tell.hidden = true;
    await learner.noteShown('by hand', task.name);
  }
  const tell = confirmed(
    'Show the correct numbers',
    'This shows the correct values of your wrong numbers. Your submission will record it.',
    'Yes, show them',
    () => attempt(status, tellAll),
  );
  tell.hidden = true;
  const key = `by hand ${task.name} ${learner.number}`;
  const { list, next } = hints(key, () => learner.answer([...exercise, '--hint']));
  const about =
    'Compute on paper. Two decimals are enough, as in 1/3 or -0.18. You can check some at a time.';
  const form = answerForm('Your numbers', status, check);
  form.append(element('p', about, 'soft'), ...fields.map(field => field.root));
  form.append(controls(checkButton(), next, tell), status, list, after, codeNote(task));
  fillIn(fields, filled, status);
  return form;
}

// Fills in numbers from a link, such as 'y0=1/3'.
function fillIn(fields, filled, status) {
  for (const word of filled) {
    const field = fields.find(each => word.startsWith(`${each.name}=`));
    if (!field) continue;
    field.input.value = word.slice(field.name.length + 1);
    status.textContent = 'The link has filled in numbers; press Check to verify them.';
  }
}

async function codeOnly(task) {
  const root = element('section', undefined, 'answer');
  const next = element('p', 'Next: ');
  next.append(await nextAfterHand(task));
  root.append(element('h3', 'In C++'));
  root.append(element('p', 'This exercise has no numbers: it is code only.'));
  root.append(codeNote(task), next);
  return root;
}

// Tells that the exercise's code needs a compiler, with the command to start it.
function codeNote({ exercise, name, numbers }) {
  const line = lineOf(['tapehead', 'learn', String(exercise), '--into', name, ...learner.whose()]);
  const what = numbers.length > 0 ? 'The other parts are C++ code and need' : 'It needs';
  const text = `${what} a compiler on your machine: \`${line}\`.`;
  return inlineCode(element('p', undefined, 'soft'), text);
}

const firstFault = () => learnLink("find a fault", 'fault', '--seed', '1');

// Returns a link to the task about the same op's backward function, or to the next exercise.
async function nextAfterHand({ exercise, name }) {
  const { exercises, rules } = await course();
  const rule = rules.find(each => each.rule === name);
  if (rule) return learnLink(`the backward function as a formula: ${rule.title}`, 'rule', name);
  const next = exercises.find(each => each.exercise === exercise + 1);
  if (!next) return firstFault();
  return learnLink(`exercise ${next.exercise}: ${next.title}`, String(next.exercise));
}
