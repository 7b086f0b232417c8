// The section that lists the student's answers and downloads them as a file to submit.

const handInTexts = t('handIn');

function taskText({ task, exercise }) {
  if (task === 'by hand') return handInTexts.byHand(exercise);
  if (task === 'check') return handInTexts.code(exercise);
  return handInTexts[task](exercise);
}

// Returns, by task, the answer that counts, the number of attempts, and the help before it. As in
// `learn grade`, the first of the best answers counts.
function answeredTasks(lines) {
  const tasks = new Map();
  for (const line of lines) {
    const name = taskText(line);
    const task = tasks.get(name) ?? { count: 0, hints: 0, solution: false, best: null };
    tasks.set(name, task);
    const isAnswer = line.answers !== null;
    task.count += isAnswer ? 1 : 0;
    task.hints = Math.max(task.hints, line.hints);
    task.solution ||= line.solution;
    const isBetter = isAnswer && !(task.best?.line.passed >= (line.passed ?? 0));
    if (isBetter) task.best = { line, ...task };
  }
  return tasks;
}

// Returns a table; on narrow screens, its rows are lists with the column's name before each cell.
function tableOfCells(heads, rows) {
  const table = element('table', undefined, 'rows');
  const head = element('tr');
  head.append(...heads.map(text => attributed(element('th', text), { scope: 'col' })));
  table.append(head);
  for (const cells of rows) {
    const row = element('tr');
    const cell = (text, i) => attributed(element('td', text), { 'data-name': heads[i] });
    row.append(...cells.map(cell));
    table.append(row);
  }
  return table;
}

function answerRow([name, { count, hints: shown, solution, best }]) {
  const { passed, noAnswer, shown: isShown } = handInTexts;
  if (learner.isExam) return [name, String(count)];
  const help = best ?? { hints: shown, solution };
  const tries = best && best.line.passed === best.line.parts ? best.count : count;
  const text = best ? passed(best.line) : noAnswer;
  return [name, text, String(tries), String(help.hints || ''), help.solution ? isShown : ''];
}

function handInSection() {
  const texts = handInTexts;
  const root = element('section', undefined, 'hand-in');
  const about = element('p');
  const table = element('div');
  const status = statusLine();
  const keep = button('', async () => {
    save(learner.file, await engine.read(learner.file), 'application/x-ndjson');
    learner.isKept = true;
    status.textContent = texts.downloaded(learner.file);
  });
  const earlier = attributed(element('input'), { type: 'file', accept: '.json,.jsonl' });
  earlier.addEventListener('change', async () => {
    const [file] = earlier.files;
    if (!file) return;
    try {
      await learner.goOnWith(await file.text());
      status.textContent = texts.goOn(learner.number, learner.count);
    } catch (error) {
      status.textContent = `${file.name}: ${error.message}.`;
    }
  });
  const forget = confirmed(texts.forget, texts.sure, texts.yes, () => learner.forget());
  function draw() {
    const isEmpty = learner.lines.length === 0;
    keep.hidden = isEmpty;
    forget.hidden = isEmpty;
    keep.textContent = texts.download(learner.file);
    const filled = learner.isExam ? texts.exam : texts.about;
    about.textContent =
      isEmpty ? texts.none : `${filled} ${store.works ? texts.stored : texts.notStored}`;
    const rows = [...answeredTasks(learner.lines)].map(answerRow);
    const found = tableOfCells(learner.isExam ? texts.examHeads : texts.heads, rows);
    table.replaceChildren(...(isEmpty ? [] : [scrolling(found, texts.contents)]));
  }
  learner.changed.add(draw);
  draw();
  const goOn = element('p', undefined, 'soft');
  goOn.append(labelled(texts.earlier, earlier));
  root.append(element('h3', texts.title), about, table, controls(keep, forget), status, goOn);
  return root;
}
