// For teachers: what a class has handed in, graded here as the command does it elsewhere.

const gradingFolder = 'grading';

// hand-in-17.jsonl and "hand-in-17 (1).jsonl", as browsers name them, are of student 17.
const handInName = name => name.replace(/ \(\d+\)(\.\w+)$/, '$1').replace(/^hand-in-(\d+\.)/, '$1');

// An archive's files, in the folder that has them all taken off; what has no folder gets one of the
// archive's name where it is somebody's exercise.
async function filesOfArchive(file) {
  const isRubbish = name => /(^|\/)(__MACOSX|\.)/.test(name);
  const all = (await unzipped(new Uint8Array(await file.arrayBuffer()))).filter(({ name }) => !isRubbish(name));
  const isExercise = ({ name }) => name === 'exercise.cpp' || name === 'sheet.json';
  const first = all[0]?.name.split('/')[0];
  const isWhole = all.length > 0 && all.every(({ name }) => name.startsWith(`${first}/`));
  const inside = isWhole ? all.map(each => ({ ...each, name: each.name.slice(first.length + 1) })) : all;
  if (isWhole && inside.some(isExercise)) return all;
  const stem = file.name.replace(/\.zip$/i, '');
  return inside.some(isExercise) ? inside.map(each => ({ ...each, name: `${stem}/${each.name}` })) : inside;
}

function gradeRow({ student, number, task, exercise, passed, parts, hints: count, solution, notes }) {
  const isAny = task !== undefined;
  return [
    student,
    number === undefined ? '' : String(number),
    isAny ? taskText({ task, exercise }) : '',
    !isAny ? '' : parts.length > 0 ? `${passed} of ${parts.length}` : 'not checked',
    isAny ? String(count) : '',
    solution ? 'shown' : '',
    notes.join('; '),
  ];
}

function gradeView() {
  const view = element('article', undefined, 'grade-view');
  const handed = new Map(); // bytes by name, in the folder that is graded
  const status = statusLine();
  const list = element('p', 'No files yet.', 'soft');
  const table = element('div');
  const names = attributed(element('textarea', undefined, 'formula'), { rows: '4', placeholder: '17 ada\n18 ben', spellcheck: 'false', id: 'class-list' });
  const choose = attributed(element('input'), { type: 'file', multiple: '', accept: '.json,.jsonl,.zip' });
  const chooseClass = attributed(element('input'), { type: 'file', accept: '.txt,.csv' });
  const start = Object.assign(button('Grade', () => attempt(status, grade)), { className: 'main' });
  const keep = button('Download as CSV', async () => save('grades.csv', await engine.read(`${gradingFolder}/grades.csv`), 'text/csv'));
  const again = button('Take all files away', () => {
    handed.clear();
    table.replaceChildren();
    draw();
  });

  function draw() {
    start.disabled = handed.size === 0;
    again.hidden = handed.size === 0;
    keep.hidden = table.childElementCount === 0;
    list.textContent = handed.size === 0 ? 'No files yet.' : `${plural(handed.size, 'file')}: ${[...handed.keys()].join(', ')}`;
  }

  // Two files of one name stay two.
  function add(name, bytes) {
    const [, stem, ending] = /^(.*?)(\.\w+)?$/.exec(name);
    let free = name;
    for (let i = 2; handed.has(free); ++i) free = `${stem}-${i}${ending ?? ''}`;
    handed.set(free, bytes);
  }
  async function take(files) {
    status.textContent = '';
    for (const file of files)
      try {
        if (/\.(txt|csv)$/i.test(file.name)) names.value = (await file.text()).trim();
        else if (/\.zip$/i.test(file.name)) for (const each of await filesOfArchive(file)) add(handInName(each.name), each.bytes);
        else if (/\.jsonl?$/i.test(file.name)) add(handInName(file.name), new Uint8Array(await file.arrayBuffer()));
        else throw new Error('expected .json, .jsonl or .zip, or .txt for the class list');
      } catch (error) {
        status.textContent = `${file.name}: ${error.message}.`;
      }
    draw();
  }
  for (const each of [choose, chooseClass])
    each.addEventListener('change', async () => {
      await take(each.files);
      each.value = ''; // the same may be chosen again
    });
  view.addEventListener('dragover', event => event.preventDefault());
  view.addEventListener('drop', event => {
    event.preventDefault();
    take(event.dataTransfer.files);
  });

  async function grade() {
    await engine.remove(gradingFolder);
    for (const [name, bytes] of handed) await engine.write(`${gradingFolder}/in/${name}`, bytes);
    const students = names.value.trim();
    if (students) await engine.write(`${gradingFolder}/class.txt`, new TextEncoder().encode(`${students.replace(/[,;\t]/g, ' ')}\n`));
    const { grades } = await engine.json([
      'learn', 'grade', `${gradingFolder}/in`,
      ...(students ? ['--class', `${gradingFolder}/class.txt`] : []),
      '--csv', `${gradingFolder}/grades.csv`,
    ]);
    const isCode = grades.some(each => each.task === 'check');
    const heads = ['Student', 'Number', 'Exercise', 'Right', 'Hints', 'Answer', 'Note'];
    table.replaceChildren(scrolling(tableOfCells(heads, grades.map(gradeRow)), 'grades'));
    status.textContent = `${plural(grades.length, 'row')}. All answers were evaluated anew.`;
    if (isCode) status.textContent += ' Work in C++ needs a compiler: grade it with tapehead learn grade on your machine.';
    draw();
  }

  const about =
    'Choose the files that your students downloaded here, or wrote with --record, or a .zip of them. Everything stays in this page. ' +
    'All answers are evaluated anew, with each student’s own numbers, and copies are noted.';
  const classAbout = 'Optional: a number and a name in each line. Then a file is known by its number, and who handed in nothing is in the table.';
  const files = element('div', undefined, 'choose');
  files.append(labelled('Files, chosen or dropped here', choose), again);
  const listed = element('div', undefined, 'choose');
  listed.append(labelled('from a file', chooseClass));
  const buttons = element('div', undefined, 'choose');
  buttons.append(start, keep);
  const way = element('p');
  way.append(commandLink('Write a sheet for your class', () => ['sheet']));
  view.append(
    element('h2', 'Grade what was handed in'), element('p', about), files, list,
    attributed(element('label', 'Class list'), { for: names.id }), element('p', classAbout, 'soft'), names, listed,
    buttons, status, table, way,
  );
  draw();
  return view;
}
