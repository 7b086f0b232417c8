// A teacher's sheet: command lines, in order, each of which a student does in its tab. All of it is
// in its link.

const sheet = {
  title: '',
  commands: [], // each as words
  at: -1, // the one that was opened last
  opened: new Set(), // lines
};

// With the number of who learns, where a command takes one.
function withStudent(words) {
  const takes = words[0] === 'learn' && !['grade', 'check', undefined].includes(words[1]);
  return takes && optionOf(words, 'student') === '' ? [...words, ...learner.whose()] : words;
}

// What a command line is, in a few words.
async function commandTitle(words) {
  const { exercises, rules } = await course();
  if (words[0] === 'learn' && words[1] === 'fault') return `Find the fault, seed ${optionOf(words, 'seed', '0')}`;
  if (words[0] === 'learn' && words[1] === 'rule') {
    const rule = rules.find(each => each.rule === words[2]);
    if (rule) return `The rule as a formula: ${rule.title}`;
  }
  const exercise = words[0] === 'learn' && exercises.find(each => [String(each.exercise), each.name].includes(words[1]));
  if (exercise) return `Exercise ${exercise.exercise}: ${exercise.title}`;
  const [text] = [{ train: 'Train', explain: 'Step by step', compare: 'Compare' }[words[0]]];
  return text ? `${text}: ${lineOf(words.slice(1))}` : lineOf(words);
}

// [task, exercise] of a command line that is answered.
async function taskOfCommand(words) {
  if (words[0] !== 'learn') return null;
  if (words[1] === 'fault') return ['fault', optionOf(words, 'seed', '0')];
  if (words[1] === 'rule') return ['rule', words[2]];
  const { exercises } = await course();
  const exercise = exercises.find(each => [String(each.exercise), each.name].includes(words[1]));
  return exercise ? ['by hand', exercise.name] : null;
}

// ---- the bar over all tabs, while there is a sheet

const sheetBar = attributed(element('nav', undefined, 'sheet-bar'), { 'aria-label': 'Sheet', hidden: '' });
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
  sheetBar.hidden = length === 0 || sheet.at < 0;
  const place = element('span', `${sheet.title || 'Sheet'}: ${sheet.at + 1} of ${length}`);
  const next = sheet.at + 1 < length ? button('Next', () => openItem(sheet.at + 1)) : button('To hand in', openSheet);
  sheetBar.replaceChildren(place, button('Back to the sheet', openSheet), next);
}

// ---- as a student sees it

// What has no answer is marked when it was opened.
function openedMark(words) {
  const result = element('span', '', 'mark solved');
  const draw = () => (result.textContent = sheet.opened.has(lineOf(words)) ? '✓ opened' : '');
  learner.changed.add(draw);
  draw();
  return result;
}

async function sheetView() {
  const view = element('article', undefined, 'sheet-view');
  const list = element('ol', undefined, 'items');
  for (const [i, words] of sheet.commands.entries()) {
    const item = element('li');
    const link = element('a', await commandTitle(words));
    link.href = fragmentOf(withStudent(words));
    link.addEventListener('click', event => {
      if (hasModifier(event)) return;
      event.preventDefault();
      openItem(i);
    });
    item.append(link);
    const task = await taskOfCommand(words);
    item.append(' ', task ? mark(...task) : openedMark(words));
    list.append(item);
  }
  const about = 'Do them in this order. Each opens here, and a bar above leads back to this sheet. Those with answers are marked when they are solved.';
  const edit = element('p');
  edit.append(commandLink('For teachers: a sheet of your own', () => ['sheet']));
  const first = element('p', 'If your teacher gave you a number, enter it above first: the exercises are different for each.', 'note');
  first.hidden = learner.number !== '0';
  view.append(element('h2', sheet.title || 'A sheet'), element('p', about), first, list, handInSection(), edit);
  return view;
}

// ---- as a teacher writes it

// What can be picked, as [group, [[title, line]]].
async function pickable() {
  const { exercises, rules } = await course();
  return [
    ['Exercises by hand', exercises.filter(each => each.numbers.length > 0).map(each => [`${each.exercise}. ${each.title}`, `learn ${each.exercise}`])],
    ['Rules as formulas', rules.map(each => [each.title, `learn rule ${each.rule}`])],
    ['Faults', [1, 2, 3, 4, 5].map(seed => [`Find the fault, seed ${seed}`, `learn fault --seed ${seed}`])],
    ['To look at', [
      ['Step by step: a neuron', "explain 'tanh(x*w + b)' x=2 w=-3 b=6.88"],
      ['Step by step: softmax', "explain 'softmax(x)' 'x=[0, 1.1]' 'dy=[1, 0]'"],
      ['Train: reverse a sequence', 'train reverse --seed 3'],
      ['An op and its rule', 'ops softmax'],
    ]],
  ];
}

async function sheetEditor() {
  const view = element('article', undefined, 'sheet-view');
  const title = attributed(element('input', undefined, 'wide'), { placeholder: 'Week 3' });
  const lines = attributed(element('textarea', undefined, 'formula'), { rows: '7', spellcheck: 'false', autocapitalize: 'none', id: 'sheet-lines', placeholder: 'train reverse --seed 3\nlearn 6\nlearn rule softmax' });
  const pick = setOptions(element('select'), ['choose one'], ['']);
  for (const [group, choices] of await pickable()) {
    const root = attributed(element('optgroup'), { label: group });
    root.append(...choices.map(([text, value]) => Object.assign(element('option', text), { value })));
    pick.append(root);
  }
  const status = statusLine();
  const preview = element('ol');
  const address = attributed(element('input', undefined, 'wide'), { readonly: '' });
  const copy = linkButton(() => wordsOf(sheetLine(asked)));
  const begin = button('Open it as a student does', () => {
    Object.assign(sheet, { ...asked, at: -1, opened: new Set() });
    openSheet();
  });
  begin.classList.add('main');
  title.value = sheet.title;
  lines.value = sheet.commands.map(lineOf).join('\n');
  let asked = { title: '', commands: [] };

  // What is written, unless a line can't be read; that is said, and the last link stays.
  async function read() {
    status.textContent = '';
    const commands = [];
    for (const [i, line] of lines.value.split('\n').entries())
      try {
        const words = wordsOf(line.replace(/;\s*$/, ''));
        if (words.length > 0) commands.push(words);
      } catch (error) {
        status.textContent = `Line ${i + 1}: ${error.message}.`;
      }
    asked = { title: title.value.trim(), commands };
    address.value = new URL(fragmentOf(wordsOf(sheetLine(asked))), location.href).href;
    for (const each of [begin, copy]) each.disabled = commands.length === 0;
    const titles = await Promise.all(commands.map(commandTitle));
    preview.replaceChildren(...titles.map(text => element('li', text)));
  }
  for (const each of [title, lines]) each.addEventListener('input', read);
  pick.addEventListener('change', () => {
    if (pick.value === '') return;
    lines.value = `${lines.value.replace(/\n*$/, '')}\n${pick.value}`.trim();
    pick.value = '';
    read();
  });
  const about =
    'A sheet is a link: a list of what your students are to do in this page, in order. Write a command line on each line, as in a terminal but without tapehead, or pick some. ' +
    'Each student opens the link and enters a number, and each number has other exercises; with --student in a line, all have the same.';
  const host = 'The link begins with where this page is now, on your disk: put the page where your students reach it, and write the sheet there.';
  const form = element('div', undefined, 'editor');
  const picked = element('div', undefined, 'choose');
  picked.append(labelled('Add', pick));
  const link = element('div', undefined, 'choose');
  link.append(labelled('Link', address), copy, begin);
  const titled = element('div', undefined, 'choose');
  titled.append(labelled('Title', title));
  form.append(titled, picked, attributed(element('label', 'Command lines'), { for: lines.id }), lines, status, element('h3', 'What the sheet will say'), preview, link);
  if (location.protocol === 'file:') form.append(element('p', host, 'soft'));
  const way = element('p');
  way.append(commandLink('Grade what was handed in', () => ['learn', 'grade']));
  view.append(element('h2', 'A sheet for your class'), element('p', about), form, way);
  await read();
  return view;
}

// The sheet that a link has is the one from here on.
async function takeSheet(words) {
  const asked = sheetOf(words);
  if (asked.commands.length === 0) return;
  if (asked.student !== '' && asked.student !== learner.number) await learner.become(asked.student);
  if (sheetLine({ ...asked, student: '' }) !== sheetLine(sheet))
    Object.assign(sheet, { title: asked.title, commands: asked.commands, at: -1, opened: new Set() });
  drawSheetBar();
}

const viewOfSheet = words => (sheetOf(words).commands.length === 0 ? sheetEditor() : sheetView());
