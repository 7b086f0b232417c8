// The section that lists the student's answers as a teacher will see them, and downloads them as a
// file to submit.

const handInTexts = t('handIn');

const taskText = ({ task, exercise }) => handInTexts.tasks[task](exercise);

// Returns what `learn grade` found out about a task: title, result, attempts, hints and solution.
function gradeCells({ passed, parts, attempts, hints: shown, solution, ...task }) {
  const texts = handInTexts;
  const unknown = task.task === 'check' ? texts.notChecked : texts.noAnswer;
  const result = parts.length > 0 ? texts.passed({ passed, parts: parts.length }) : unknown;
  const help = [String(shown || ''), solution ? texts.shown : ''];
  return [taskText(task), result, String(attempts), ...help];
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
    list.ask();
  };
  const list = new Latest(async () => {
    if (learner.lines.length === 0) return place.replaceChildren();
    const { grades } = await engine.json(['learn', 'grade', learner.file]);
    const heads = learner.isExam ? texts.examHeads : texts.heads;
    // An exam shows only the number of saved answers.
    const cells = ([task, result, attempts, ...help]) =>
      learner.isExam ? [task, attempts] : [task, result, attempts, ...help];
    const found = table(heads, grades.map(gradeCells).map(cells), 'table.rows');
    return place.replaceChildren(scrolling(found, texts.contents));
  });
  return following(
    make(
      'section.hand-in',
      ...[make('h3', texts.title), about, place, controls(keep, forget), status],
      make('p.soft', labelled(texts.earlier, earlier)),
    ),
    draw,
  );
}
