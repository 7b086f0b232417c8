// A teacher's worksheet: a list of command lines, each opened in its tab. The worksheet's link
// contains the whole list.

const sheet = {
  title: '',
  commands: [], // command lines, each a list of words
  at: -1, // index of the last command line opened
  opened: new Set(), // command lines opened so far, as texts
  begin({ title, commands }) {
    Object.assign(this, { title, commands, at: -1, opened: new Set() });
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
  const takes = words[0] === 'learn' && !['grade', 'check', undefined].includes(words[1]);
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
    return `Find the fault, seed ${optionOf(words, 'seed', '0')}`;
  if (command === 'learn' && what === 'rule') {
    const rule = (await course()).rules.find(each => each.rule === words[2]);
    if (rule) return `The backward function as a formula: ${rule.title}`;
  }
  const exercise = command === 'learn' && (await exerciseCalled(what));
  if (exercise) return `Exercise ${exercise.exercise}: ${exercise.title}`;
  const text = { train: 'Train', explain: 'Step by step', compare: 'Compare' }[command];
  return text ? `${text}: ${lineOf(words.slice(1))}` : lineOf(words);
}

// Returns [task, exercise] for a command line that asks for answers; null for others.
async function taskOfCommand(words) {
  if (words[0] !== 'learn') return null;
  if (words[1] === 'fault') return ['fault', optionOf(words, 'seed', '0')];
  if (words[1] === 'rule') return ['rule', words[2]];
  const exercise = await exerciseCalled(words[1]);
  return exercise ? ['by hand', exercise.name] : null;
}

// Returns the mark of an entry that asks for no answers: it shows whether the entry was opened.
function openedMark(words) {
  const result = element('span', '', 'mark solved');
  const draw = () => (result.textContent = sheet.opened.has(lineOf(words)) ? '✓ opened' : '');
  learner.changed.add(draw);
  draw();
  return result;
}

// ---- the bar above all tabs while there is a worksheet

const sheetBar = attributed(element('nav', undefined, 'sheet-bar'), { 'aria-label': 'Worksheet' });
sheetBar.hidden = true;
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
  sheetBar.replaceChildren(
    element('span', `${sheet.title || 'Worksheet'}: ${sheet.at + 1} of ${length}`),
    button('Back to the worksheet', openSheet),
    isLast ? button('Submit', openSheet) : button('Next', () => openItem(sheet.at + 1)),
  );
}

// ---- the student's view

async function sheetItem(words, i) {
  const item = element('li');
  const link = commandLink(await commandTitle(words), () => withStudent(words), () => openItem(i));
  const task = await taskOfCommand(words);
  item.append(link, ' ', task ? mark(...task) : openedMark(words));
  return item;
}

async function sheetView() {
  const view = element('article', undefined, 'sheet-view');
  const list = element('ol', undefined, 'items');
  list.append(...(await Promise.all(sheet.commands.map(sheetItem))));
  const about =
    'Do these in order. Each opens here, and a bar above leads back to this worksheet. Entries ' +
    'with answers are marked when solved.';
  const whose =
    'If your teacher gave you a number, enter it above first: each number has its own exercises.';
  const first = element('p', whose, 'note');
  first.hidden = learner.number !== '0';
  const edit = element('p');
  edit.append(commandLink('For teachers: write a worksheet', () => ['sheet']));
  view.append(element('h2', sheet.title || 'Worksheet'), element('p', about), first, list);
  view.append(handInSection(), edit);
  return view;
}
