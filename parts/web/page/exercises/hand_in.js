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
  const about = make('p');
  const place = make('div');
  const status = statusLine();
  const keep = button('', async () => {
    save(learner.file, await engine.read(learner.file), 'application/x-ndjson');
    learner.isKept = true;
    status.textContent = texts.downloaded(learner.file);
  });
  const earlier = fileInput({ accept: '.json,.jsonl' }, status, async file => {
    await learner.goOnWith(await file.text());
    status.textContent = texts.goOn(learner.number, learner.count);
  });
  const forget = confirmed(texts.forget, texts.sure, texts.yes, () => learner.forget());
  const draw = () => {
    const isEmpty = learner.lines.length === 0;
    keep.hidden = isEmpty;
    forget.hidden = isEmpty;
    keep.textContent = texts.download(learner.file);
    const filled = learner.isExam ? texts.exam : texts.about;
    about.textContent =
      isEmpty ? texts.none : `${filled} ${store.works ? texts.stored : texts.notStored}`;
    const rows = [...answeredTasks(learner.lines)].map(answerRow);
    const found = table(learner.isExam ? texts.examHeads : texts.heads, rows, 'table.rows');
    place.replaceChildren(...(isEmpty ? [] : [scrolling(found, texts.contents)]));
  };
  return following(
    make(
      'section.hand-in',
      ...[make('h3', texts.title), about, place, controls(keep, forget), status],
      make('p.soft', labelled(texts.earlier, earlier)),
    ),
    draw,
  );
}
