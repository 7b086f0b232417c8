// The tasks of the Exercises tab. There are four kinds, which the next scripts add: by hand, rule,
// fault and puzzle. A kind is
//   { texts,           words of the table
//     words(name),     command line that opens a task
//     names(),         names of the tasks in the course, in order
//     label(name),     title in a list, and title(name) elsewhere
//     text(task),      elements that describe a task, from the command's JSON
//     form(task, name, filled),  form for the answer, with answers from a link
//     blanks(task),    text with blanks to fill in on paper; a kind without it needs the screen
//     solution(json) } solution as text
const taskKinds = {};

// The tasks of the course: { exercises, rules, puzzles, chapters, all }. `all` includes C++
// exercises; `chapters` belong to the framework that `learn build` builds.
let course = null;
async function loadCourse() {
  if (course) return;
  const ask = (...words) => engine.json(['learn', ...words]);
  const all = await ask();
  const exercises = all.filter(each => each.numbers.length > 0);
  const [rules, puzzles] = [await ask('rule'), await ask('puzzle')];
  course = { exercises, rules, puzzles, chapters: await ask('build'), all };
}

// Returns the words that aren't options or values of options.
function positional(words) {
  const kept = [];
  for (let i = 0; i < words.length; ++i) {
    if (!words[i].startsWith('--')) kept.push(words[i]);
    else if (!words[i].includes('=')) ++i;
  }
  return kept;
}

// Returns the { kind, name, filled } of the task that a command line opens; null for others.
// `filled` are answers.
function taskOf(words) {
  const [command, what, ...rest] = positional(words);
  if (command !== 'learn' || what === undefined) return null;
  if (what === 'fault') return { kind: what, name: optionOf(words, 'seed', '0'), filled: [] };
  if (Object.hasOwn(taskKinds, what))
    return rest.length > 0 ? { kind: what, name: rest[0], filled: rest.slice(1) } : null;
  const found = course.exercises.find(each => [String(each.exercise), each.name].includes(what));
  return found ? { kind: 'by hand', name: found.name, filled: rest } : null;
}

// Throws an Error if a `learn` command asks for a task that this page doesn't have.
function checkTask(words) {
  const [, what, name = ''] = positional(words);
  const texts = editorTexts;
  if (what === 'fault') {
    const seed = optionOf(words, 'seed', '0');
    if (!/^\d{1,15}$/.test(seed)) throw new Error(texts.badSeed(seed));
  } else if (Object.hasOwn(taskKinds, what)) {
    const names = taskKinds[what].names();
    if (!names.includes(name)) throw new Error(texts.noTask(what, name, names.join(', ')));
  } else if (what !== undefined && !taskOf(words)) {
    const isCode = course.all.some(each => [String(each.exercise), each.name].includes(what));
    throw new Error(isCode ? texts.codeOnly(what) : texts.noExercise(what, course.all.length));
  }
}

const askTask = ({ kind, name }, ...more) => engine.json([...taskKinds[kind].words(name), ...more]);

const taskLink = (kind, name, text = taskKinds[kind].title(name)) =>
  commandLink(text, () => [...taskKinds[kind].words(name), ...learner.whose()]);

// Returns a link to the task after a solved one: for one by hand, the same op's backward function.
function nextTask(kind, name) {
  if (kind === 'by hand' && taskKinds.rule.names().includes(name)) return taskLink('rule', name);
  if (kind === 'fault') return taskLink(kind, String(Number(name) + 1));
  const names = taskKinds[kind].names();
  const next = names[names.indexOf(name) + 1];
  if (next) return taskLink(kind, next);
  return kind === 'puzzle' ? learnLink(exercisesTexts.all) : taskLink('fault', '1');
}

async function taskView(words) {
  const found = taskOf(words);
  const { text, form } = taskKinds[found.kind];
  const task = await askTask(found, ...learner.whose());
  return make('article.lesson', text(task), await form(task, found.name, found.filled));
}

// ---- the form for an answer

// A field for a part of an answer, with feedback.
class AnswerField {
  constructor(kind, name, label, control) {
    this.name = name;
    this.said = make('span.said', { id: `${control.id}-said` });
    const attributes = { 'aria-describedby': this.said.id, oninput: () => this.say('', '') };
    this.control = drafted(attributed(control, attributes));
    this.root = make(kind, make('label', { for: control.id }, label), control, this.said);
  }
  // The answer as a word of the command; '' if there is none.
  get answer() {
    const text = plainNumber(this.control.value);
    return text === '' ? '' : `${this.name}=${text}`;
  }
  fill(words) {
    const word = words.find(each => each.startsWith(`${this.name}=`));
    if (word) this.control.value = word.slice(this.name.length + 1);
  }
  say(state, text) {
    this.said.textContent = text;
    this.root.dataset.state = state;
    this.control.setAttribute('aria-invalid', String(state === 'wrong'));
  }
  show({ state, given, note }) {
    const isNumber = Number.isFinite(Number(given)); // otherwise the note says what is expected
    const wrong = [learnerTexts.wrong(given), !isNumber && note].filter(Boolean).join('; ');
    this.say(state, state === 'wrong' ? wrong : learnerTexts.parts[state]);
  }
  tell(solution) {
    const number = Number(solution);
    const text = Number.isFinite(number) ? Number(number.toPrecision(6)) : solution;
    this.say(this.root.dataset.state, learnerTexts.should(text));
  }
}

// Returns a form of fields: see taskForm.
function fieldsForm({ fields, filled, ...form }) {
  for (const field of fields) field.fill(filled);
  return taskForm({
    given: () => fields.map(field => field.answer).filter(Boolean),
    focus: () => fields[0].control.focus(),
    show({ parts, passed }) {
      parts.forEach((part, i) => fields[i].show(part));
      fields.find(field => field.root.dataset.state === 'wrong')?.control.focus();
      return learnerTexts.passed(passed, fields.length);
    },
    tell({ solution }) {
      for (const field of fields) field.tell(solution[field.name]);
      return '';
    },
    isFilled: filled.length > 0,
    ...form,
  });
}

// Returns the form for an answer. given() returns the answer as words, none if it is missing; then
// the form shows `none` and calls focus(). show(result) shows the command's feedback, and
// tell(result) the solution; both return a text. `feedback` and `below` are elements of the form.
function taskForm(options) {
  const { kind, name, contents, given, none, focus, show, tell } = options;
  const { feedback = [], below = [], isFilled = false, hasHints = true } = options;
  const texts = learnerTexts;
  const asked = taskKinds[kind].words(name);
  const status = statusLine();
  const after = make('p');
  if (isFilled) status.textContent = texts.filled;

  async function check() {
    after.replaceChildren();
    const answer = given();
    if (answer.length === 0) {
      status.textContent = none;
      return focus();
    }
    const result = await learner.answer([...asked, ...answer]);
    const count = learner.attemptText(kind, name);
    if (learner.isExam) return (status.textContent = count);
    status.textContent = `${show(result)} ${count}`;
    return result.right && after.append(texts.solved, nextTask(kind, name));
  }
  const tellAll = async () => {
    status.textContent = tell(await learner.answer([...asked, '--solution']));
  };
  const showAnswer = () => attempt(status, tellAll);
  const ask = () => learner.answer([...asked, '--hint']);
  const { list, next } = hints(`${kind} ${name} ${learner.number}`, ask);
  const buttons = [
    make('button.main', learner.isExam ? texts.saveAnswer : t('check')),
    helpOf(hasHints && next, confirmed(texts.show, texts.sure, texts.yes, showAnswer)),
  ];
  const form = makeForm(
    'form.answer',
    () => attempt(status, check),
    ...[make('h3', texts.form), contents, controls(buttons), status, feedback, list, after, below],
  );
  stickWhole(form);
  return form;
}
