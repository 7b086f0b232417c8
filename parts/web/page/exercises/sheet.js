// A teacher's worksheet: a list of command lines, each opened in its tab. The worksheet's link
// contains the whole list.

const sheetTexts = t('sheet');

const sheet = {
  title: '',
  exam: false,
  commands: [], // command lines, each a list of words
  at: -1, // index of the last command line opened
  opened: new Set(), // command lines opened so far, as texts
  begin({ title, exam, commands }) {
    Object.assign(this, { title, exam, commands, at: -1, opened: new Set() });
    learner.isExam = exam;
    store.write({ sheet: sheetLine(this) });
  },
  // Continues with the worksheet that was open before the page was loaded again.
  restore() {
    const { sheet: line } = store.read();
    if (line && this.commands.length === 0) this.begin(sheetOf(wordsOf(line)));
  },
};

// Replaces the current worksheet by the one in a link.
async function takeSheet(words) {
  const asked = sheetOf(words);
  if (asked.commands.length === 0) return;
  if (asked.student !== '' && asked.student !== learner.number) await learner.become(asked.student);
  if (sheetLine({ ...asked, student: '' }) !== sheetLine(sheet)) sheet.begin(asked);
  drawSheetBar();
}

const viewOfSheet = words =>
  sheetOf(words).commands.length === 0 ? sheetEditor() : sheetView();

// ---- entries of a worksheet

// Adds --student with the student's number to a `learn` command that accepts it.
function withStudent(words) {
  const takes = words[0] === 'learn' && !['grade', 'check', 'build', undefined].includes(words[1]);
  return takes && optionOf(words, 'student') === '' ? [...words, ...learner.whose()] : words;
}

async function exerciseCalled(name) {
  const { exercises } = await course();
  return exercises.find(each => String(each.exercise) === name || each.name === name);
}

// Describes a command line in a few words.
async function commandTitle(words) {
  const [command, what] = words;
  if (command === 'learn' && what === 'fault')
    return sheetTexts.fault(optionOf(words, 'seed', '0'));
  if (command === 'learn' && what === 'puzzle') return sheetTexts.puzzle(words[2]);
  if (command === 'learn' && what === 'rule') {
    const rule = (await course()).rules.find(each => each.rule === words[2]);
    if (rule) return sheetTexts.rule(rule.title);
  }
  const exercise = command === 'learn' && (await exerciseCalled(what));
  if (exercise) return sheetTexts.exercise(exercise);
  const titles = { train: trainTexts.tab, explain: sheetTexts.explain, compare: compareTexts.tab };
  const text = titles[command];
  return text ? `${text}: ${lineOf(words.slice(1))}` : lineOf(words);
}

// Returns [task, exercise] for a command line that asks for answers; null for others.
async function taskOfCommand(words) {
  if (words[0] !== 'learn') return null;
  if (words[1] === 'fault') return ['fault', optionOf(words, 'seed', '0')];
  if (['rule', 'puzzle'].includes(words[1])) return [words[1], words[2]];
  const exercise = await exerciseCalled(words[1]);
  return exercise ? ['by hand', exercise.name] : null;
}

// Returns the mark of an entry that asks for no answers: it shows whether the entry was opened.
const openedMark = words =>
  following(make('span.mark.solved'), result => {
    result.textContent = sheet.opened.has(lineOf(words)) ? sheetTexts.opened : '';
  });

// ---- the bar above all tabs while there is a worksheet

const sheetBar = make('nav.sheet-bar', { 'aria-label': sheetTexts.bar, hidden: true });
document.querySelector('header').append(sheetBar);

function openItem(i) {
  sheet.at = i;
  sheet.opened.add(lineOf(sheet.commands[i]));
  learner.tell();
  drawSheetBar();
  go(withStudent(sheet.commands[i]));
}

const openSheet = () => go(wordsOf(sheetLine(sheet)));

function drawSheetBar() {
  const { length } = sheet.commands;
  const isLast = sheet.at + 1 === length;
  sheetBar.hidden = length === 0 || sheet.at < 0;
  document.body.classList.toggle('exam', sheet.exam);
  sheetBar.replaceChildren(
    make('span', sheetTexts.position(sheet.title || sheetTexts.bar, sheet.at + 1, length)),
    button(sheetTexts.back, openSheet),
    isLast
      ? button(handInTexts.title, openSheet)
      : button(sheetTexts.next, () => openItem(sheet.at + 1)),
  );
}

// ---- the student's view

async function sheetItem(words, i) {
  const link = commandLink(await commandTitle(words), () => withStudent(words), () => openItem(i));
  const task = await taskOfCommand(words);
  return make('li', link, ' ', task ? mark(...task) : openedMark(words));
}

async function sheetView() {
  const texts = sheetTexts;
  const end = () => {
    sheet.begin({ title: '', exam: false, commands: [] });
    go(['learn']);
  };
  return make(
    'article.sheet-view',
    make('h2', sheet.title || texts.bar),
    sheet.exam ? make('p.note', texts.exam) : make('p', texts.about),
    learner.number === '' && make('p.note', texts.whose),
    make('ol.items', await Promise.all(sheet.commands.map(sheetItem))),
    handInSection(),
    sheet.exam
      ? confirmed(texts.endExam, texts.sure, texts.yes, end)
      : make('p', commandLink(texts.edit, () => ['sheet'])),
  );
}
