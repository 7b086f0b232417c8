// The task to find out what the heads and edges of an unknown model do.

const puzzleTexts = t('puzzle');

// A question with a control for its answer, and feedback on it.
class PuzzleField {
  constructor({ name, text }, control) {
    this.name = name;
    this.control = control;
    this.said = make('p.said', { id: `${control.id}-said` });
    control.setAttribute('aria-describedby', this.said.id);
    control.addEventListener('input', () => this.say('', ''));
    drafted(control);
    const label = make('label', { for: control.id, lang: 'en' }, text);
    this.root = make('div.part', make('p', label), control, this.said);
  }
  get answer() {
    const text = this.control.value.trim();
    return text === '' ? null : `${this.name}=${text}`;
  }
  get isWrong() {
    return this.root.dataset.state === 'wrong';
  }
  say(state, text) {
    this.said.textContent = text;
    this.root.dataset.state = state;
    this.control.setAttribute('aria-invalid', String(state === 'wrong'));
  }
  tell(answer) {
    this.say(this.root.dataset.state, puzzleTexts.should(answer));
  }
  show({ state, given, note }) {
    const { right, wrong, toDo } = puzzleTexts;
    const texts = { right, wrong: wrong(given, note), 'not done': toDo };
    this.say(state, texts[state]);
  }
}

// Returns the control for a question: choices, or a line with suggestions.
function puzzleControl({ choices, edges }, id) {
  if (choices) {
    const names = [puzzleTexts.choose, ...choices.map(each => each.replace(/^\w: /, ''))];
    const letters = ['', ...choices.map(each => each[0])];
    return setOptions(make('select.wide', { id, lang: 'en' }), names, letters);
  }
  return lineInput({ id, list: edges && `${id}-edges` });
}

async function puzzleView(words) {
  const task = await engine.json(['learn', 'puzzle', words[2], ...learner.whose()]);
  const text = make(
    'div.text',
    make('h2', puzzleTexts.title(task.puzzle)),
    make('p', { lang: 'en' }, task.text),
    make('p', puzzleTexts.about),
    puzzleModel(task),
  );
  return make('article.lesson', text, puzzleForm(task, words.slice(3)));
}

// Returns the section that writes the model into a run folder, and then links commands for it.
function puzzleModel({ puzzle, input }) {
  const folder = `runs/puzzle-${puzzle}-${learner.number}`;
  const status = statusLine();
  const list = make('ul', { hidden: true });
  const lines = [
    ['sample', folder, '--prompt', input],
    ['attention', folder, '--input', input],
    ['inspect', 'ablate', folder],
    ['inspect', 'path', folder],
  ];
  async function write() {
    if ((await engine.list(folder)).length === 0) {
      const asked = ['learn', 'puzzle', String(puzzle), ...learner.whose(), '--into', folder];
      const { status: code, err } = await engine.run(asked);
      if (code !== 0) throw new Error(messageOf(err, code));
    }
    status.textContent = puzzleTexts.written(folder);
    list.replaceChildren(...lines.map(line => make('li', commandLink(lineOf(line), () => line))));
    list.hidden = false;
  }
  const start = button(puzzleTexts.write, () => attempt(status, write));
  return make('section', controls(start), status, list);
}

function puzzleForm(task, filled) {
  const texts = puzzleTexts;
  const number = String(task.puzzle);
  const asked = ['learn', 'puzzle', number];
  const id = `puzzle-${number}-${learner.number}`;
  const fields = task.questions.map(
    question => new PuzzleField(question, puzzleControl(question, `${id}-${question.name}`)),
  );
  const { edges } = task.questions.find(each => each.edges);
  const status = statusLine();
  const after = make('p');

  async function check() {
    after.replaceChildren();
    const answers = fields.map(field => field.answer).filter(Boolean);
    if (answers.length === 0) {
      status.textContent = texts.none;
      return fields[0].control.focus();
    }
    const result = await learner.answer([...asked, ...answers]);
    const attempt = learner.attemptText('puzzle', number);
    if (learner.isExam) return (status.textContent = attempt);
    result.parts.forEach((part, i) => fields[i].show(part));
    status.textContent = `${texts.passed(result.passed, fields.length)} ${attempt}`;
    if (result.right) return after.append(texts.solved, await nextAfterPuzzle(task.puzzle));
    return fields.find(field => field.isWrong)?.control.focus();
  }
  async function tellAll() {
    const { solution } = await learner.answer([...asked, '--solution']);
    for (const field of fields) field.tell(solution[field.name]);
  }
  const { show, yes } = learnerTexts;
  const tell = confirmed(show, texts.sure, yes, () => attempt(status, tellAll));
  const key = `puzzle ${number} ${learner.number}`;
  const { list, next } = hints(key, () => learner.answer([...asked, '--hint']));
  for (const field of fields) {
    const word = filled.find(each => each.startsWith(`${field.name}=`));
    if (word) field.control.value = word.slice(field.name.length + 1);
  }
  const suggestions = make(
    'datalist',
    { id: `${id}-edge-edges` },
    edges.map(value => make('option', { value })),
  );
  return answerForm(
    ...[texts.form, status, check],
    fields.map(field => field.root),
    suggestions,
    controls(checkButton(), helpOf(next, tell)),
    ...[status, list, after],
  );
}

async function nextAfterPuzzle(number) {
  const { puzzles } = await course();
  const next = puzzles[puzzles.indexOf(number) + 1];
  if (next) return learnLink(puzzleTexts.title(next), 'puzzle', String(next));
  return learnLink(exercisesTexts.all);
}
