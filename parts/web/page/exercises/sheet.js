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

// Describes a command line in a few words.
function commandTitle(words) {
  const task = taskOf(words);
  if (task) return taskKinds[task.kind].title(task.name);
  const titles = { train: trainTexts.tab, explain: sheetTexts.explain, compare: compareTexts.tab };
  const text = titles[words[0]];
  return text ? `${text}: ${lineOf(words.slice(1))}` : lineOf(words);
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

function sheetItem(words, i) {
  const link = commandLink(commandTitle(words), () => withStudent(words), () => openItem(i));
  const task = taskOf(words);
  return make('li', link, ' ', task ? mark(task.kind, task.name) : openedMark(words));
}

function sheetView() {
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
    make('ol.items', sheet.commands.map(sheetItem)),
    handInSection(),
    sheet.exam
      ? confirmed(texts.endExam, texts.sure, texts.yes, end)
      : make('p', commandLink(texts.edit, () => ['sheet'])),
  );
}
