// What was answered in this page, as a file to hand in.

function taskText({ task, exercise }) {
  if (task === 'by hand') return `${exercise}, by hand`;
  if (task === 'check') return `${exercise}, in C++`;
  return `${task} ${exercise}`;
}

// A row for each task: its last answer, and all that was shown on the way to it.
function answeredTasks(lines) {
  const tasks = new Map();
  for (const line of lines) {
    const name = taskText(line);
    const before = tasks.get(name) ?? { hints: 0, solution: false, last: null };
    tasks.set(name, {
      hints: Math.max(before.hints, line.hints),
      solution: before.solution || line.solution,
      last: line.answers === null ? before.last : line,
    });
  }
  return tasks;
}

function tableOfCells(heads, rows) {
  const table = element('table', undefined, 'rows');
  const head = element('tr');
  head.append(...heads.map(text => attributed(element('th', text), { scope: 'col' })));
  table.append(head);
  for (const cells of rows) {
    const row = element('tr');
    row.append(...cells.map(text => element('td', text)));
    table.append(row);
  }
  return table;
}

function handInSection() {
  const root = element('section', undefined, 'hand-in');
  const about = element('p');
  const table = element('div');
  const status = statusLine();
  const keep = button('Download what I did', async () => {
    save(learner.file, await engine.read(learner.file), 'application/x-ndjson');
    learner.isKept = true;
    status.textContent =
      `${learner.file} is saved where your browser saves files. Hand it in as it is.`;
  });
  const earlier = attributed(element('input'), { type: 'file', accept: '.json,.jsonl' });
  earlier.addEventListener('change', async () => {
    const [file] = earlier.files;
    if (!file) return;
    try {
      await learner.goOnWith(await file.text());
      status.textContent =
        `Student ${learner.number} goes on; answered so far: ${plural(learner.count, 'task')}.`;
    } catch (error) {
      status.textContent = `${file.name}: ${error.message}.`;
    }
  });
  function draw() {
    const { length } = learner.lines;
    keep.disabled = length === 0;
    keep.textContent = `Download what I did, ${learner.file}`;
    about.textContent =
      length === 0
        ? 'Nothing is answered yet. Every answer that you check is noted in a file in this page, ' +
          'which you download at the end.'
        : 'The file has every answer that was checked, with how many hints were shown, and ' +
          'whether an answer was; no name, and no time. It is gone when this page is closed, so ' +
          'download it.';
    const rows = [...answeredTasks(learner.lines)].map(([name, task]) => [
      name,
      task.last ? `${task.last.passed} of ${task.last.parts}` : 'no answer',
      task.hints === 0 ? '' : String(task.hints),
      task.solution ? 'shown' : '',
    ]);
    const found = tableOfCells(['Task', 'Right', 'Hints', 'Answer'], rows);
    table.replaceChildren(...(length === 0 ? [] : [scrolling(found, 'what is in it')]));
  }
  learner.changed.add(draw);
  draw();
  const goOn = element('p', undefined, 'soft');
  goOn.append(labelled('Go on with a file from before', earlier));
  root.append(element('h3', 'To hand in'), about, table, keep, status, goOn);
  return root;
}
