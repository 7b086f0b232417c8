// The student number and the student's answers: lines of a file in the format of `learn --record`.
// The page has no other state, so it shows exactly what the student submits.

const learner = {
  number: '0',
  lines: [], // lines of the file, parsed
  isKept: true, // whether all answers have been downloaded
  changed: new Set(), // functions to call after a change
  hints: new Map(), // hints shown so far, by task

  get file() {
    return `hand-in-${this.number}.jsonl`;
  },
  whose() {
    return this.number === '0' ? [] : ['--student', this.number];
  },

  // Changes the student number and reads that number's file.
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

  // Runs a command that checks an answer or gives a hint, and records it. Returns the command's
  // response.
  async answer(words) {
    const result = await engine.json([...words, ...this.whose(), '--record', this.file]);
    this.isKept = false;
    await this.renew();
    return result;
  },

  // Records that the solution was shown: adds the same line as `learn rule --solution`, made from
  // the task's last line.
  async noteShown(task, exercise) {
    const { answers, passed, parts, ...last } = this.linesOf(task, exercise).pop();
    const line = JSON.stringify({ ...last, answers: null, solution: true });
    const before = await engine.text(this.file);
    await engine.write(this.file, new TextEncoder().encode(`${before}${line}\n`));
    this.isKept = false;
    await this.renew();
  },

  // Continues with the answers in an earlier file. Throws an Error if it isn't a file of answers.
  async goOnWith(text) {
    let lines;
    try {
      lines = text.split('\n').filter(line => line.trim() !== '').map(line => JSON.parse(line));
    } catch {
      lines = [];
    }
    const number = lines[0]?.student;
    if (!Number.isInteger(number) || lines.some(line => line.student !== number || !line.task))
      throw new Error('not a file of answers from this page or from --record');
    this.number = String(number);
    await engine.write(this.file, new TextEncoder().encode(text.replace(/\n*$/, '\n')));
    await this.renew();
  },

  linesOf(task, exercise) {
    return this.lines.filter(line => line.task === task && line.exercise === exercise);
  },
  // Returns the state of a task: '' without an answer, 'tried' or 'solved'.
  state(task, exercise) {
    const answers = this.linesOf(task, exercise).filter(line => line.answers !== null);
    if (answers.some(line => line.parts > 0 && line.passed === line.parts)) return 'solved';
    return answers.length > 0 ? 'tried' : '';
  },
  // Returns the number of tasks with an answer.
  get count() {
    const answered = this.lines.filter(line => line.answers !== null);
    return new Set(answered.map(line => `${line.task} ${line.exercise}`)).size;
  },
};

// Asks for confirmation before the reader leaves the page with answers that aren't downloaded.
window.addEventListener('beforeunload', event => {
  if (!learner.isKept) event.preventDefault();
});
// Otherwise a file dropped outside the drop area would replace the page.
for (const name of ['dragover', 'drop'])
  window.addEventListener(name, event => event.preventDefault());

const stateText = { '': '', tried: 'tried', solved: '✓ solved' };

// Returns an element that shows the state of a task and follows its changes.
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

// ---- links within the course

// Opens a command line as a new entry in the browser's history.
function go(words) {
  history.pushState(null, '', fragmentOf(words));
  written = location.hash;
  open(words);
}

// Returns a link to a command line in this page. A click calls `follow`, by default `go`.
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

// Returns a link to a `learn` command with the student's number.
const learnLink = (text, ...words) =>
  commandLink(text, () => ['learn', ...words, ...learner.whose()]);

// ---- shared parts of tasks

// Attributes of fields for commands and formulas: no spell checking or completion.
const plainText = { spellcheck: 'false', autocapitalize: 'none', autocomplete: 'off' };

function controls(...all) {
  const result = element('div', undefined, 'choose');
  result.append(...all);
  return result;
}

// Returns a task's answer form. The button Check calls `check`; if that throws, `status` shows the
// error message.
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

// Returns a button that asks for confirmation before an action, such as showing the solution.
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

// Returns the list of hints shown and a button for the next hint. `ask()` runs the command with
// --hint and returns its response.
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

// Runs an action; if it throws, shows the error message in `status`.
async function attempt(status, action) {
  try {
    await action();
  } catch (error) {
    status.textContent = `${error.message}.`;
  }
}
