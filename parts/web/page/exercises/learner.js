// Who learns in this page, and what was answered: lines of a file, as the command's --record writes
// them. The file is all that is kept, so what is handed in is what the page itself goes by.

const learner = {
  number: '0',
  lines: [], // of the file, as objects
  isKept: true, // whether all of it was downloaded
  changed: new Set(), // functions to call when something else is known
  hints: new Map(), // by task: those that were shown

  get file() {
    return `hand-in-${this.number}.jsonl`;
  },
  whose() {
    return this.number === '0' ? [] : ['--student', this.number];
  },

  // Other numbers have other files, so that one student's answers are in one.
  async become(number) {
    this.number = number;
    await this.renew();
  },

  async renew() {
    const names = await engine.list('.');
    const text = names.includes(this.file) ? await engine.text(this.file) : '';
    this.lines = text.split('\n').filter(line => line.trim() !== '').map(line => JSON.parse(line));
    this.tell();
  },
  tell() {
    for (const each of this.changed) each();
  },

  // What the command says to an answer, or for a hint. It is recorded.
  async answer(words) {
    const result = await engine.json([...words, ...this.whose(), '--record', this.file]);
    this.isKept = false;
    await this.renew();
    return result;
  },

  // What a wrong answer should have been was shown: the last answer's line, with that in place of
  // the answer, as --solution of a rule has it.
  async noteShown(task, exercise) {
    const { answers, passed, parts, ...last } = this.linesOf(task, exercise).pop();
    const line = JSON.stringify({ ...last, answers: null, solution: true });
    const before = await engine.text(this.file);
    await engine.write(this.file, new TextEncoder().encode(`${before}${line}\n`));
    this.isKept = false;
    await this.renew();
  },

  // An earlier file goes on. Throws an Error where it is none.
  async goOnWith(text) {
    let lines;
    try {
      lines = text.split('\n').filter(line => line.trim() !== '').map(line => JSON.parse(line));
    } catch {
      lines = [];
    }
    const number = lines[0]?.student;
    if (!Number.isInteger(number) || lines.some(line => line.student !== number || !line.task))
      throw new Error('it is no file of answers that this page, or --record, wrote');
    this.number = String(number);
    await engine.write(this.file, new TextEncoder().encode(text.replace(/\n*$/, '\n')));
    await this.renew();
  },

  linesOf(task, exercise) {
    return this.lines.filter(line => line.task === task && line.exercise === exercise);
  },
  // '': nothing yet; 'tried'; 'solved'.
  state(task, exercise) {
    const answers = this.linesOf(task, exercise).filter(line => line.answers !== null);
    if (answers.some(line => line.parts > 0 && line.passed === line.parts)) return 'solved';
    return answers.length > 0 ? 'tried' : '';
  },
  // How many different tasks have an answer.
  get count() {
    const answered = this.lines.filter(line => line.answers !== null);
    return new Set(answered.map(line => `${line.task} ${line.exercise}`)).size;
  },
};

// What nobody has downloaded goes with the page.
window.addEventListener('beforeunload', event => {
  if (!learner.isKept) event.preventDefault();
});
// A file that is dropped beside its place would take the page away.
for (const name of ['dragover', 'drop'])
  window.addEventListener(name, event => event.preventDefault());

const stateText = { '': '', tried: 'tried', solved: '✓ solved' };

// A mark that follows what was answered.
function mark(task, exercise) {
  const result = element('span', '', 'mark');
  const draw = () => {
    const state = learner.state(task, exercise);
    result.textContent = stateText[state];
    result.classList.toggle('solved', state === 'solved');
  };
  learner.changed.add(draw);
  draw();
  return result;
}

// ---- ways through the course

// Does a command line, with a place of its own in the browser's history.
function go(words) {
  history.pushState(null, '', fragmentOf(words));
  written = location.hash;
  open(words);
}

// A link to what a command line does here; `follow` is how.
function commandLink(text, words, follow = () => go(words())) {
  const result = element('a', text);
  result.href = fragmentOf(words());
  result.addEventListener('click', event => {
    if (hasModifier(event)) return;
    event.preventDefault();
    follow();
  });
  return result;
}

// One with the number of who learns.
const learnLink = (text, ...words) =>
  commandLink(text, () => ['learn', ...words, ...learner.whose()]);

// ---- what answers have in common

// For fields of commands and formulas, which no dictionary knows.
const plainText = { spellcheck: 'false', autocapitalize: 'none', autocomplete: 'off' };

function controls(...all) {
  const result = element('div', undefined, 'choose');
  result.append(...all);
  return result;
}

// The part of a task where it is answered. `check` is what Check does; where the command refuses an
// answer, its message is said in `status`.
function answerForm(title, status, check) {
  const form = element('form', undefined, 'answer');
  form.append(element('h3', title));
  form.addEventListener('submit', event => {
    event.preventDefault();
    attempt(status, check);
  });
  return form;
}
const checkButton = () =>
  Object.assign(element('button', 'Check'), { type: 'submit', className: 'main' });

// A button that asks once more before it does something that is noted.
function confirmed(text, question, yes, action) {
  const root = element('div', undefined, 'confirm');
  const asked = element('p', question);
  const close = () => {
    panel.hidden = true;
    first.hidden = false;
  };
  const first = button(text, () => {
    first.hidden = true;
    panel.hidden = false;
    sure.focus();
  });
  const sure = button(yes, () => {
    close();
    action();
  });
  const panel = element('div', undefined, 'note');
  const choices = element('div', undefined, 'choose');
  const back = button('No', () => {
    close();
    first.focus();
  });
  choices.append(sure, back);
  panel.append(asked, choices);
  panel.hidden = true;
  root.append(first, panel);
  return Object.assign(root, { first });
}

// Hints, one after the other, and the button that asks for the next. `ask()` promises what the
// command says to --hint.
function hints(key, ask) {
  const shown = learner.hints.get(key) ?? [];
  const list = attributed(element('div', undefined, 'hints'), { 'aria-live': 'polite' });
  const next = button('Hint', async () => {
    const { hint } = await ask();
    shown.push(hint);
    learner.hints.set(key, shown);
    draw();
  });
  function draw() {
    const texts = shown.map(text => text.replace(/ for '[^']*':/, ':'));
    list.replaceChildren(...texts.map(text => element('p', text, 'note')));
    const [, at, of] = /^Hint (\d+) of (\d+)/.exec(shown[shown.length - 1] ?? '') ?? [];
    next.disabled = shown.length > 0 && at === of;
    next.textContent = shown.length === 0 ? 'Hint' : next.disabled ? 'No more hints' : 'Next hint';
  }
  draw();
  return { list, next };
}

// Something of the command that can go wrong: its own message is said.
async function attempt(status, action) {
  try {
    await action();
  } catch (error) {
    status.textContent = `${error.message}.`;
  }
}
