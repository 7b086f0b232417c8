// The task to find out what the heads and edges of an unknown model do.

const puzzleTexts = t('puzzle');

// Returns the control for a question: choices, or a line with suggestions.
function puzzleControl({ choices, edges }, id) {
  if (choices) {
    const names = [puzzleTexts.choose, ...choices.map(each => each.replace(/^\w: /, ''))];
    const letters = ['', ...choices.map(each => each[0])];
    return setOptions(make('select.wide', { id, lang: 'en' }), names, letters);
  }
  return lineInput({ id, list: edges && `${id}-edges` });
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
    list.replaceChildren(...lines.map(line => make('li', lineLink(line))));
    list.hidden = false;
  }
  const start = button(puzzleTexts.write, () => attempt(status, write));
  return make('section', controls(start), status, list);
}

const puzzleText = task =>
  make(
    'div.text',
    make('h2', puzzleTexts.title(task.puzzle)),
    make('p', { lang: 'en' }, task.text),
    make('p', puzzleTexts.about),
    puzzleModel(task),
  );

function puzzleForm({ questions }, name, filled) {
  const id = `puzzle-${name}-${learner.number}`;
  const fieldOf = question => {
    const label = make('span', { lang: 'en' }, question.text);
    const control = puzzleControl(question, `${id}-${question.name}`);
    return new AnswerField('div.question', question.name, label, control);
  };
  const fields = questions.map(fieldOf);
  const { edges } = questions.find(each => each.edges);
  const options = edges.map(value => make('option', { value }));
  const suggestions = make('datalist', { id: `${id}-edge-edges` }, options);
  const contents = [fields.map(field => field.root), suggestions];
  return fieldsForm({ kind: 'puzzle', name, fields, filled, contents, none: puzzleTexts.none });
}

taskKinds.puzzle = {
  texts: puzzleTexts,
  words: name => ['learn', 'puzzle', name],
  names: () => course.puzzles.map(String),
  label: puzzleTexts.label,
  title: puzzleTexts.title,
  text: puzzleText,
  form: puzzleForm,
  solution: ({ solution }) => Object.entries(solution).map(each => each.join(' = ')).join(', '),
};
