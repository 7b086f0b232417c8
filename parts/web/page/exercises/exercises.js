// The Exercises tab: exercises by hand, backward functions as formulas, faults and programs to find,
// submissions and their grades, and worksheets.

const exercisesTexts = t('exercises');

const isStudentNumber = text => /^[1-9]\d{0,14}$/.test(text);

// This tab's `learn` accepts only these options; other command lines belong to the terminal.
const learnOptions = /^--(student|seed)(=|$)/;
const learnable = words =>
  words[0] === 'sheet' ||
  (words[0] === 'learn' &&
    !['check', 'build'].includes(words[1]) &&
    !words.some(word => word === '-h' || (word.startsWith('--') && !learnOptions.test(word))));

function courseView() {
  const texts = exercisesTexts;
  const item = ([link, state]) => make('li', link, ' ', state);
  const list = (title, about, items) =>
    make('section', make('h3', title), make('p.soft', about), make('ul.items', items.map(item)));
  const listOf = ([kind, { texts: own, names, label }]) => {
    const itemOf = name => [taskLink(kind, name, label(name)), mark(kind, name)];
    return list(own.list, own.listAbout, names().map(itemOf));
  };
  const chapters = course.chapters
    .filter(({ rules }) => rules.length > 0)
    .map(({ chapter, title, rules }) => [
      make('span', { lang: 'en' }, `${chapter}. ${title}:`),
      rules.flatMap(rule => [taskLink('rule', rule, rule), ' ']),
    ]);
  const sheetLink = commandLink(texts.sheet, () => ['sheet']);
  const gradeLink = commandLink(texts.grade, () => ['learn', 'grade']);
  const { kit } = document.documentElement.dataset; // only in a folder or site with the class kit
  const kitLink = kit && [' · ', make('a', { href: kit }, texts.kit)];
  return make(
    'article.course',
    make('h2', texts.tab),
    make('p', texts.about),
    make(
      'div.parts',
      Object.entries(taskKinds).map(listOf),
      list(texts.build, texts.buildAbout, chapters),
    ),
    handInSection(),
    make('section', make('h3', texts.teachers), make('p', sheetLink, ' · ', gradeLink, kitLink)),
  );
}

// Asks for the student number that a task needs; `begin` continues with it.
function numberView(begin) {
  const { number: name, needed, neededAbout, start, badNumber } = exercisesTexts;
  const status = statusLine();
  const number = make('input', { type: 'number', min: 1 });
  const read = () => {
    if (isStudentNumber(number.value)) return begin(number.value);
    status.textContent = badNumber(number.value);
    return number.focus();
  };
  const form = makeForm('form.choose', read, labelled(name, number), make('button.main', start));
  form.noValidate = true; // the page's own message tells more
  return make('article', make('h2', needed), make('p', neededAbout), form, status);
}

addTab('exercises', exercisesTexts.tab, learnable, panel => {
  let words = ['learn'];
  let turn = 0; // number of the latest request; results of older requests are dropped
  const views = new Map(); // views by command line, so that typed answers are kept
  const status = statusLine();
  const place = make('div');

  const number = make('input', { type: 'number', min: 1, 'aria-describedby': 'whose' });
  const changed = async value => {
    if (!isStudentNumber(value)) {
      status.textContent = exercisesTexts.badNumber(value);
      number.value = learner.number;
      return;
    }
    await learner.become(value);
    const rest = withOption(words, 'student', '');
    show(words[0] === 'learn' ? [...rest, ...learner.whose()] : rest);
  };
  const about = make('span.soft', { id: 'whose' }, exercisesTexts.whose);
  const all = learnLink(exercisesTexts.all);
  const handIn = button('', async () => {
    if (!place.querySelector('.hand-in')) {
      const list = ['learn', ...learner.whose()];
      history.pushState(null, '', fragmentOf(list));
      await show(list);
    }
    place.querySelector('.hand-in').scrollIntoView();
  });
  const whose = make('span.choose', field(exercisesTexts.number, number, changed), about, handIn);
  const bar = controls(all, whose, linkButton(() => words));
  learner.changed.add(() => {
    number.value = learner.number;
    handIn.textContent = exercisesTexts.toSubmit(learner.count);
    handIn.hidden = learner.count === 0;
  });
  number.value = learner.number;
  handIn.hidden = true;

  const viewOf = {
    sheet: () => viewOfSheet(words),
    course: courseView,
    grade: gradeView,
    task: () => taskView(words),
  };
  const kindOf = ([first, second, third]) => {
    if (first === 'sheet' || second === 'grade') return second === 'grade' ? second : first;
    const isList = ['rule', 'puzzle'].includes(second) && third === undefined;
    return second === undefined || isList ? 'course' : 'task';
  };

  // Continues with the student's work after a reload.
  const restored = engine.ready.then(async () => {
    sheet.restore();
    drawSheetBar();
    const { number: last = '' } = store.read();
    if (isStudentNumber(last) && learner.number === '') await learner.become(last);
  });

  async function show(asked) {
    words = asked;
    const mine = ++turn;
    await restored;
    await loadCourse();
    if (mine !== turn) return;
    const kind = kindOf(positional(words));
    status.textContent = '';
    try {
      const student = optionOf(words, 'student');
      if (kind !== 'sheet' && student !== '' && student !== learner.number) {
        if (!isStudentNumber(student))
          throw new Error(exercisesTexts.badNumber(student).replace(/\.$/, ''));
        await learner.become(student);
      }
      if (kind === 'sheet') await takeSheet(words);
      if (kind === 'task') checkTask(words);
      const key = `${kind} ${lineOf(words)} ${learner.number} ${learner.isExam}`;
      if (kind === 'task' && learner.number === '') views.set(key, numberView(changed));
      else if (!views.has(key)) views.set(key, await viewOf[kind]());
      if (mine !== turn) return;
      place.replaceChildren(views.get(key));
    } catch (error) {
      if (mine !== turn) return;
      status.textContent = `${error.message}.`;
      place.replaceChildren(courseView());
    }
    all.hidden = kind === 'course';
    about.hidden = !['course', 'sheet'].includes(kind);
    whose.hidden = kind === 'grade' || lineOf(words) === 'sheet'; // teachers have no student number
    say(words);
    arrive();
  }
  // Moves the focus to the title after the reader follows a link within the page.
  function arrive() {
    if (document.activeElement !== document.body) return;
    const title = place.querySelector('h2');
    title.tabIndex = -1;
    title.focus();
    window.scrollTo(0, 0);
  }

  panel.append(bar, status, place);
  return {
    open: show,
    shown: () => show(words),
  };
});
