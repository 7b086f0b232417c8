// The view for teachers: grades the submissions of a class with the command `learn grade`.

const gradeTexts = t('grade');

const gradingFolder = 'grading';

// Returns the name 17.jsonl for student 17's download, hand-in-17.jsonl or "hand-in-17 (1).jsonl".
const handInName = name =>
  name.replace(/ \(\d+\)(\.\w+)$/, '$1').replace(/^hand-in-(\d+\.)/, '$1');

const bytesOf = async file => new Uint8Array(await file.arrayBuffer());

// Returns an archive's files, with names relative to their common folder. If that folder is an
// exercise, names begin with it, or with the archive's name if there is no folder.
async function filesOfArchive(file) {
  const isRubbish = ({ name }) => /(^|\/)(__MACOSX|\.)/.test(name);
  const isExercise = ({ name }) => name === 'exercise.cpp' || name === 'sheet.json';
  const all = (await unzipped(await bytesOf(file))).filter(each => !isRubbish(each));
  const [top = ''] = all.map(({ name }) => name.split('/')[0]);
  const isInOne = all.every(({ name }) => name.startsWith(`${top}/`));
  const from = isInOne ? top.length + 1 : 0;
  const inside = all.map(each => ({ ...each, name: each.name.slice(from) }));
  if (!inside.some(isExercise)) return inside;
  const folder = isInOne ? top : file.name.replace(/\.zip$/i, '');
  return inside.map(each => ({ ...each, name: `${folder}/${each.name}` }));
}

// Submitted files: bytes by name. A second file of the same name gets a number.
class HandIns {
  constructor() {
    this.files = new Map();
    this.classList = ''; // contents of a .txt or .csv file, if given
  }
  add(name, bytes) {
    const [, stem, ending = ''] = /^(.*?)(\.\w+)?$/.exec(handInName(name));
    let free = stem + ending;
    for (let i = 2; this.files.has(free); ++i) free = `${stem}-${i}${ending}`;
    this.files.set(free, bytes);
  }
  // Adds a file or an archive's files. Throws an Error for other kinds of files.
  async take(file) {
    const [ending] = /\.\w+$/.exec(file.name.toLowerCase()) ?? [''];
    if (ending === '.txt' || ending === '.csv') this.classList = (await file.text()).trim();
    else if (ending === '.json' || ending === '.jsonl') this.add(file.name, await bytesOf(file));
    else if (ending === '.zip')
      for (const each of await filesOfArchive(file)) this.add(each.name, each.bytes);
    else throw new Error(gradeTexts.wrongFile);
  }
}

// Returns the tasks of a worksheet, given its link or command lines, as `learn grade` expects.
function tasksOf(text) {
  if (text === '') return '';
  const line = text.includes('#') ? lineOfFragment(text.slice(text.indexOf('#'))) : text;
  const words = wordsOf(line.replace(/\n/g, '; '));
  const { commands } = sheetOf(words[0] === 'sheet' ? words : ['sheet', ...words]);
  const tasks = commands.filter(([first]) => first === 'learn').map(each => each.slice(1));
  return tasks
    .map(each => (each[0] === 'fault' ? `fault ${optionOf(each, 'seed', '0')}` : each.join(' ')))
    .join('; ');
}

// Returns the result of `learn grade`: { grades, students }.
async function gradesOf(files, students, tasks) {
  await engine.remove(gradingFolder);
  for (const [name, bytes] of files) await engine.write(`${gradingFolder}/in/${name}`, bytes);
  const words = ['learn', 'grade', `${gradingFolder}/in`, '--csv', `${gradingFolder}/grades.csv`];
  if (tasks !== '') words.push('--tasks', tasks);
  if (students === '') return engine.json(words);
  const list = `${gradingFolder}/class.txt`;
  const separated = students.replace(/[,;\t]/g, ' '); // separators of a spreadsheet
  await engine.write(list, new TextEncoder().encode(`${separated}\n`));
  return engine.json([...words, '--class', list]);
}

function gradeRow(grade) {
  const { student, number, task, notes } = grade;
  const cells = task === undefined ? ['', '', '', '', ''] : gradeCells(grade);
  return [student, String(number), ...cells, notes.join('; ')];
}

function totalRow({ student, number, total, out_of: all, skipped, notes, ...counts }) {
  const numbers = [counts.attempts, counts.hints, counts.solutions].map(String);
  const right = handInTexts.passed({ passed: total, parts: all });
  return [student, String(number), right, ...numbers, skipped.join('; '), notes.join('; ')];
}

// Returns the tables of students and of all answers.
function gradeTables({ grades, students }) {
  const texts = gradeTexts;
  const totals = table(texts.totalHeads, students.map(totalRow), 'table.rows');
  const all = table(texts.heads, grades.map(gradeRow), 'table.rows');
  return [
    scrolling(totals, texts.totals),
    make('p.soft', texts.csv),
    make('details', make('summary', texts.all), scrolling(all, texts.grades)),
  ];
}

function gradeView() {
  const texts = gradeTexts;
  let handed = new HandIns();
  const status = statusLine();
  const list = make('p.soft');
  const place = make('div');
  const area = (id, placeholder) =>
    make('textarea.formula', { id, rows: 3, placeholder, ...plainText });
  const names = area('class-list', '17 Ada Lovelace ada@example.org\n18 Ben Bell');
  const tasks = area('graded-tasks', 'tapehead.html#sheet+learn+6;+learn+rule+softmax');
  const start = button(texts.grade, () => attempt(status, grade), { class: 'main' });
  const keep = button(texts.download, async () =>
    save('grades.csv', await engine.read(`${gradingFolder}/grades.csv`), 'text/csv'),
  );
  const again = button(texts.remove, () => {
    handed = new HandIns();
    place.replaceChildren();
    draw();
  });

  function draw() {
    const found = [...handed.files.keys()];
    start.disabled = found.length === 0;
    again.hidden = found.length === 0;
    keep.hidden = place.childElementCount === 0;
    list.textContent = found.length === 0 ? texts.noFiles : texts.filesAre(found);
  }
  async function take(file) {
    await handed.take(file);
    if (handed.classList !== '') names.value = handed.classList;
    handed.classList = '';
    draw();
  }
  async function grade() {
    const graded = await gradesOf(handed.files, names.value.trim(), tasksOf(tasks.value.trim()));
    place.replaceChildren(...gradeTables(graded));
    status.textContent = texts.done(graded.students.length);
    if (graded.grades.some(each => each.task === 'check')) status.textContent += ` ${texts.code}`;
    draw();
  }
  const choose = fileInput({ multiple: true, accept: '.json,.jsonl,.zip' }, status, take);
  const chooseClass = fileInput({ accept: '.txt,.csv' }, status, take);
  const view = make(
    'article.grade-view',
    { ondrop: event => choose.take(event.dataTransfer.files) },
    ...[make('h2', exercisesTexts.grade), make('p', texts.about)],
    ...[controls(labelled(texts.files, choose), again), list],
    make('label', { for: names.id }, texts.classList),
    ...[make('p.soft', texts.classAbout), names, controls(labelled(texts.fromFile, chooseClass))],
    make('label', { for: tasks.id }, texts.tasks),
    ...[make('p.soft', texts.tasksAbout), tasks, controls(start, keep), status, place],
    make('p', commandLink(exercisesTexts.sheet, () => ['sheet'])),
  );
  draw();
  return view;
}
