// The Exercises tab: exercises by hand, backward functions as formulas, faults to find, submissions
// and their grades, and worksheets.

const exercisesTexts = t('exercises');

// Returns the tasks of the course: { exercises, rules, all }. `all` includes C++ exercises.
const course = (() => {
  let found = null;
  const load = async () => {
    const [all, rules] = [await engine.json(['learn']), await engine.json(['learn', 'rule'])];
    return { exercises: all.filter(each => each.numbers.length > 0), rules, all };
  };
  return () => (found ??= load());
})();

const isStudentNumber = text => /^[1-9]\d{0,14}$/.test(text);

// This tab's `learn` accepts only these options; other command lines belong to the terminal.
const learnOptions = /^--(student|seed)(=|$)/;
const learnable = words =>
  words[0] === 'sheet' ||
  (words[0] === 'learn' &&
    words[1] !== 'check' &&
    !words.some(word => word === '-h' || (word.startsWith('--') && !learnOptions.test(word))));

// Returns the words that aren't options or values of options.
function positional(words) {
  const kept = [];
  for (let i = 0; i < words.length; ++i) {
    if (!words[i].startsWith('--')) kept.push(words[i]);
    else if (!words[i].includes('=')) ++i;
  }
  return kept;
}

async function courseView() {
  const view = element('article', undefined, 'course');
  const { exercises, rules } = await course();
  const list = (title, about, items) => {
    const root = element('section');
    const all = element('ul', undefined, 'items');
    all.append(
      ...items.map(([link, ...marks]) => {
        const item = element('li');
        item.append(link, ' ', ...marks);
        return item;
      }),
    );
    root.append(element('h3', title), element('p', about, 'soft'), all);
    return root;
  };
  const texts = exercisesTexts;
  const parts = element('div', undefined, 'parts');
  parts.append(
    list(
      texts.byHand,
      texts.byHandAbout,
      exercises.map(each => [
        learnLink(`${each.exercise}. ${each.title}`, String(each.exercise)),
        mark('by hand', each.name),
      ]),
    ),
    list(
      texts.rules,
      texts.rulesAbout,
      rules.map(each => [learnLink(each.title, 'rule', each.rule), mark('rule', each.rule)]),
    ),
    list(
      texts.faults,
      texts.faultsAbout,
      ['1', '2', '3', '4', '5'].map(seed => [
        learnLink(texts.fault(seed), 'fault', '--seed', seed),
        mark('fault', seed),
      ]),
    ),
  );
  const teachers = element('section');
  const ways = element('p');
  ways.append(
    commandLink(texts.sheet, () => ['sheet']),
    ' · ',
    commandLink(texts.grade, () => ['learn', 'grade']),
  );
  teachers.append(element('h3', texts.teachers), ways);
  view.append(element('h2', texts.title), element('p', texts.about));
  view.append(parts, handInSection(), teachers);
  return view;
}

// Asks for the student number that a task needs; `begin` continues with it.
function numberView(begin) {
  const view = element('article');
  const form = element('form', undefined, 'choose');
  const status = statusLine();
  const number = attributed(element('input'), { type: 'number', min: '1', step: '1' });
  const start = element('button', exercisesTexts.start, 'main');
  form.append(labelled(exercisesTexts.number, number), Object.assign(start, { type: 'submit' }));
  form.noValidate = true; // the page's own message tells more
  form.addEventListener('submit', event => {
    event.preventDefault();
    if (isStudentNumber(number.value)) return begin(number.value);
    status.textContent = exercisesTexts.badNumber(number.value);
    return number.focus();
  });
  const { needed, neededAbout } = exercisesTexts;
  view.append(element('h2', needed), element('p', neededAbout), form, status);
  return view;
}

addTab('exercises', exercisesTexts.tab, learnable, panel => {
  let words = ['learn'];
  let turn = 0; // number of the latest request; results of older requests are dropped
  const views = new Map(); // views by command line, so that typed answers are kept
  const status = statusLine();
  const place = element('div');

  const number = attributed(element('input'), {
    type: 'number',
    min: '1',
    step: '1',
    'aria-describedby': 'whose',
  });
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
  const about = attributed(element('span', exercisesTexts.whose, 'soft'), { id: 'whose' });
  const bar = element('div', undefined, 'choose');
  const all = learnLink(exercisesTexts.all);
  const whose = element('span', undefined, 'choose');
  const handIn = button('', async () => {
    if (!place.querySelector('.hand-in')) {
      const list = ['learn', ...learner.whose()];
      history.pushState(null, '', fragmentOf(list));
      await show(list);
    }
    place.querySelector('.hand-in').scrollIntoView();
  });
  whose.append(field(exercisesTexts.number, number, changed), about, handIn);
  bar.append(all, whose, linkButton(() => words));
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
    rule: () => ruleView(positional(words)),
    fault: () => faultView(words),
    exercise: () => byHandView(positional(words)),
  };
  const kindOf = ([first, second, third]) => {
    if (first === 'sheet') return 'sheet';
    if (second === undefined || (second === 'rule' && third === undefined)) return 'course';
    return ['rule', 'fault', 'grade'].includes(second) ? second : 'exercise';
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
      const isTask = ['rule', 'fault', 'exercise'].includes(kind);
      const key = `${kind} ${lineOf(words)} ${learner.number} ${learner.isExam}`;
      if (isTask && learner.number === '') views.set(key, numberView(changed));
      else if (!views.has(key)) views.set(key, await viewOf[kind]());
      if (mine !== turn) return;
      place.replaceChildren(views.get(key));
    } catch (error) {
      if (mine !== turn) return;
      status.textContent = `${error.message}.`;
      place.replaceChildren(await courseView());
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
