// The section that lists the student's answers and downloads them as a file to submit.

function taskText({ task, exercise }) {
  if (task === 'by hand') return `${exercise}, by hand`;
  if (task === 'check') return `${exercise}, in C++`;
  return `${task} ${exercise}`;
}

// Returns, by task, the last answer, the number of hints, and whether the solution was shown.
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
  const keep = button('Download my answers', async () => {
    save(learner.file, await engine.read(learner.file), 'application/x-ndjson');
    learner.isKept = true;
    status.textContent =
      `${learner.file} is in your browser’s download folder. Submit it unchanged.`;
  });
  const earlier = attributed(element('input'), { type: 'file', accept: '.json,.jsonl' });
  earlier.addEventListener('change', async () => {
    const [file] = earlier.files;
    if (!file) return;
    try {
      await learner.goOnWith(await file.text());
      status.textContent =
        `Continuing as student ${learner.number}, with ${plural(learner.count, 'answered task')}.`;
    } catch (error) {
      status.textContent = `${file.name}: ${error.message}.`;
    }
  });
  function draw() {
    const { length } = learner.lines;
    keep.disabled = length === 0;
    keep.textContent = `Download my answers, ${learner.file}`;
    about.textContent =
      length === 0
        ? 'No answers yet. Every answer that you check is recorded in a file in this page, ' +
          'which you download at the end.'
        : 'The file contains every checked answer, the number of hints shown, and whether a ' +
          'solution was shown; no name and no time. It is lost when this page is closed, so ' +
          'download it.';
    const rows = [...answeredTasks(learner.lines)].map(([name, task]) => [
      name,
      task.last ? `${task.last.passed} of ${task.last.parts}` : 'no answer',
      task.hints === 0 ? '' : String(task.hints),
      task.solution ? 'shown' : '',
    ]);
    const found = tableOfCells(['Task', 'Correct', 'Hints', 'Answer'], rows);
    table.replaceChildren(...(length === 0 ? [] : [scrolling(found, 'contents of the file')]));
  }
  learner.changed.add(draw);
  draw();
  const goOn = element('p', undefined, 'soft');
  goOn.append(labelled('Continue with an earlier file', earlier));
  root.append(element('h3', 'Submit'), about, table, keep, status, goOn);
  return root;
}
