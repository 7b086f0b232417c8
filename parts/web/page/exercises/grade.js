// The view for teachers: grades the submissions of a class with the command `learn grade`.

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
    else throw new Error('expected .json, .jsonl or .zip, or .txt for the class list');
  }
}

// Returns the grades from `learn grade`.
async function gradesOf(files, students) {
  await engine.remove(gradingFolder);
  for (const [name, bytes] of files) await engine.write(`${gradingFolder}/in/${name}`, bytes);
  const words = ['learn', 'grade', `${gradingFolder}/in`, '--csv', `${gradingFolder}/grades.csv`];
  if (students === '') return (await engine.json(words)).grades;
  const list = `${gradingFolder}/class.txt`;
  const separated = students.replace(/[,;\t]/g, ' '); // separators of a spreadsheet
  await engine.write(list, new TextEncoder().encode(`${separated}\n`));
  return (await engine.json([...words, '--class', list])).grades;
}

function gradeRow(grade) {
  const { student, number, task, passed, parts, hints: count, solution, notes } = grade;
  const right = parts.length > 0 ? `${passed} of ${parts.length}` : 'not checked';
  const ofTask = task === undefined ? ['', '', ''] : [taskText(grade), right, String(count)];
  return [student, String(number), ...ofTask, solution ? 'shown' : '', notes.join('; ')];
}

function gradeView() {
  let handed = new HandIns();
  const view = element('article', undefined, 'grade-view');
  const status = statusLine();
  const list = element('p', '', 'soft');
  const table = element('div');
  const names = attributed(element('textarea', undefined, 'formula'), {
    id: 'class-list',
    rows: '4',
    placeholder: '17 ada\n18 ben',
    ...plainText,
  });
  const start = button('Grade', () => attempt(status, grade));
  start.classList.add('main');
  const keep = button('Download as CSV', async () =>
    save('grades.csv', await engine.read(`${gradingFolder}/grades.csv`), 'text/csv'),
  );
  const again = button('Remove all files', () => {
    handed = new HandIns();
    table.replaceChildren();
    draw();
  });

  function draw() {
    const found = [...handed.files.keys()];
    start.disabled = found.length === 0;
    again.hidden = found.length === 0;
    keep.hidden = table.childElementCount === 0;
    list.textContent =
      found.length === 0 ? 'No files yet.' : `${plural(found.length, 'file')}: ${found.join(', ')}`;
  }
  async function take(files) {
    status.textContent = '';
    for (const file of files)
      await handed.take(file).catch(error => {
        status.textContent = `${file.name}: ${error.message}.`;
      });
    if (handed.classList !== '') names.value = handed.classList;
    handed.classList = '';
    draw();
  }
  async function grade() {
    const grades = await gradesOf(handed.files, names.value.trim());
    const heads = ['Student', 'Number', 'Exercise', 'Correct', 'Hints', 'Answer', 'Note'];
    table.replaceChildren(scrolling(tableOfCells(heads, grades.map(gradeRow)), 'grades'));
    status.textContent = `${plural(grades.length, 'row')}. All answers were evaluated again.`;
    if (grades.some(each => each.task === 'check'))
      status.textContent +=
        ' C++ exercises need a compiler: grade them with tapehead learn grade on your machine.';
    draw();
  }
  const chooser = attributes => {
    const result = attributed(element('input'), { type: 'file', ...attributes });
    result.addEventListener('change', async () => {
      await take([...result.files]);
      result.value = ''; // so that choosing the same file again fires an event
    });
    return result;
  };
  view.addEventListener('drop', event => take([...event.dataTransfer.files]));

  const choose = chooser({ multiple: '', accept: '.json,.jsonl,.zip' });
  const chooseClass = chooser({ accept: '.txt,.csv' });
  const about =
    'Choose the files that your students downloaded here or wrote with --record, or a .zip of ' +
    'them. Everything stays in this page. All answers are evaluated again with each student’s own ' +
    'numbers, and copies are noted.';
  const classAbout =
    'Optional: one number and name per line. Files are matched by number, and students without a ' +
    'submission are listed.';
  const way = element('p');
  way.append(commandLink('Write a worksheet for your class', () => ['sheet']));
  view.append(element('h2', 'Grade submissions'), element('p', about));
  view.append(controls(labelled('Files (choose or drop here)', choose), again), list);
  view.append(attributed(element('label', 'Class list'), { for: names.id }));
  view.append(element('p', classAbout, 'soft'), names);
  view.append(controls(labelled('from a file', chooseClass)));
  view.append(controls(start, keep), status, table, way);
  draw();
  return view;
}
