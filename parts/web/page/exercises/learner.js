// The student number and the student's answers: lines of a file in the format of `learn --record`.
// The page has no other state, so it shows exactly what the student submits.

const learnerTexts = t('learner');

// What survives a reload, in the browser's storage: { number, sheet, files, drafts, hints }. Some
// browsers have no storage for local files; then only the download keeps the answers.
const store = {
  key: 'tapehead exercises',
  works: true,
  read() {
    try {
      return JSON.parse(localStorage.getItem(this.key)) ?? {};
    } catch {
      return {};
    }
  },
  write(change) {
    try {
      localStorage.setItem(this.key, JSON.stringify({ ...this.read(), ...change }));
    } catch {
      this.works = false;
    }
  },
};

// Parses a file of answers.
const linesOf = text =>
  text.split('\n').filter(line => line.trim() !== '').map(line => JSON.parse(line));

const learner = {
  number: '', // empty until the student enters it
  isExam: false, // whether answers are recorded without feedback
  lines: [], // lines of the file, parsed
  isKept: true, // whether all answers have been downloaded
  changed: new Set(), // functions to call after a change

  get file() {
    return `hand-in-${this.number}.jsonl`;
  },
  whose() {
    return this.number === '' ? [] : ['--student', this.number];
  },

  // Changes the student number and reads that number's file.
  async become(number) {
    Object.assign(this, { number, lines: [] });
    store.write({ number });
    await this.renew();
  },

  async renew() {
    const { files = {} } = store.read();
    const kept = files[this.file];
    if (kept && !(await engine.list('.')).includes(this.file)) await this.write(kept);
    const isThere = (await engine.list('.')).includes(this.file);
    const text = isThere ? await engine.text(this.file) : '';
    this.lines = linesOf(text);
    if (isThere) store.write({ files: { ...files, [this.file]: text } });
    this.tell();
  },
  write(text) {
    return engine.write(this.file, new TextEncoder().encode(text));
  },
  tell() {
    for (const each of this.changed) each();
  },

  // Runs a command that checks an answer, gives a hint or shows a solution, and records it. Returns
  // the command's response, which in an exam has no result.
  async answer(words) {
    const how = this.isExam ? ['--exam'] : ['--no-answers'];
    const result = await engine.json([...words, ...how, ...this.whose(), '--record', this.file]);
    this.isKept = false;
    await this.renew();
    return result;
  },

  // Continues with the answers in an earlier file. Throws an Error if it isn't a file of answers.
  async goOnWith(text) {
    let lines;
    try {
      lines = linesOf(text);
    } catch {
      lines = [];
    }
    const number = lines[0]?.student;
    if (!Number.isInteger(number) || lines.some(line => line.student !== number || !line.task))
      throw new Error(learnerTexts.notAnswers);
    Object.assign(this, { number: String(number), lines: [] });
    await this.write(text.replace(/\n*$/, '\n'));
    await this.become(this.number);
  },

  // Removes the student's answers and number from the page and the browser.
  async forget() {
    await engine.remove(this.file);
    const { files = {} } = store.read();
    delete files[this.file];
    this.number = '';
    this.lines = [];
    this.isKept = true;
    store.write({ number: '', files, drafts: {}, hints: {} });
    this.tell();
  },

  linesOf(task, exercise) {
    return this.lines.filter(line => line.task === task && line.exercise === exercise);
  },
  answersTo(task, exercise) {
    return this.linesOf(task, exercise).filter(line => line.answers !== null);
  },
  // Returns the state of a task: '' without an answer, 'tried', 'solved', or 'saved' in an exam.
  state(task, exercise) {
    const answers = this.answersTo(task, exercise);
    if (answers.some(line => line.exam)) return 'saved';
    if (answers.some(line => line.parts > 0 && line.passed === line.parts)) return 'solved';
    return answers.length > 0 ? 'tried' : '';
  },
  // Says how often the student has answered a task.
  attemptText(task, exercise) {
    const count = this.answersTo(task, exercise).length;
    return this.isExam ? learnerTexts.saved(count) : learnerTexts.attempt(count);
  },
  // Returns the number of tasks with an answer.
  get count() {
    const answered = this.lines.filter(line => line.answers !== null);
    return new Set(answered.map(line => `${line.task} ${line.exercise}`)).size;
  },
};

// Keeps what is typed into a control across reloads. Drafts are stored by the control's id.
function drafted(control) {
  const draft = store.read().drafts?.[control.id];
  if (draft !== undefined) control.value = draft;
  control.addEventListener('input', () => {
    const { drafts = {} } = store.read();
    store.write({ drafts: { ...drafts, [control.id]: control.value } });
  });
  return control;
}

// Asks for confirmation before the reader leaves the page with answers that would be lost.
window.addEventListener('beforeunload', event => {
  if (!learner.isKept && !store.works) event.preventDefault();
});
// Otherwise a file dropped outside the drop area would replace the page.
for (const name of ['dragover', 'drop'])
  window.addEventListener(name, event => event.preventDefault());

// Calls draw(element) now and after each change of the learner's answers; returns the element.
function following(result, draw) {
  learner.changed.add(() => draw(result));
  draw(result);
  return result;
}

// Returns an element that shows the state of a task.
const mark = (task, exercise) =>
  following(make('span.mark'), result => {
    const state = learner.state(task, exercise);
    result.textContent = learnerTexts.states[state];
    result.classList.toggle('solved', state === 'solved');
  });

// Returns the parts of an answer form that help: none in an exam.
const helpOf = (...parts) => (learner.isExam ? [] : parts);

// Returns a link to a `learn` command with the student's number.
const learnLink = (text, ...words) =>
  commandLink(text, () => ['learn', ...words, ...learner.whose()]);

// ---- shared parts of tasks

const controls = (...all) => make('div.choose', all);

// Returns a button that asks for confirmation before an action, such as showing the solution.
function confirmed(text, question, yes, action) {
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
  const back = button(learnerTexts.no, () => {
    close();
    first.focus();
  });
  const panel = make('div.note', { hidden: true }, make('p', question), controls(sure, back));
  return make('div.confirm', first, panel);
}

// Returns the list of hints shown and a button for the next hint. `ask()` runs the command with
// --hint and returns its response.
function hints(key, ask) {
  const shown = store.read().hints?.[key] ?? [];
  const list = make('div.hints', { 'aria-live': 'polite' });
  const next = button(learnerTexts.hint, async () => {
    const { hint } = await ask();
    shown.push(hint);
    store.write({ hints: { ...store.read().hints, [key]: shown } });
    draw();
  });
  function draw() {
    const texts = shown.map(text => text.replace(/ for '[^']*':/, ':'));
    list.replaceChildren(...texts.map(text => make('p.note', text)));
    const [, at, of] = /^Hint (\d+) of (\d+)/.exec(shown[shown.length - 1] ?? '') ?? [];
    next.disabled = shown.length > 0 && at === of;
    const { hint, nextHint, noMoreHints } = learnerTexts;
    next.textContent = shown.length === 0 ? hint : next.disabled ? noMoreHints : nextHint;
  }
  draw();
  return { list, next };
}
