// The Exercises tab: exercises by hand, backward functions as formulas, faults to find, submissions
// and their grades, and worksheets.

const course = (() => {
  let found = null;
  const load = async () => {
    const [exercises, rules] = [await engine.json(['learn']), await engine.json(['learn', 'rule'])];
    return { exercises, rules };
  };
  return () => (found ??= load());
})();

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
    const all = element('ol', undefined, 'items');
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
  const about =
    'A course in backpropagation, from the chain rule to a transformer block, for readers who ' +
    'know calculus. Start with the first exercise: read it, compute on paper, enter your numbers ' +
    'and check them.';
  const parts = element('div', undefined, 'parts');
  parts.append(
    list(
      'Exercises by hand',
      'Each explains one topic and asks for a few numbers, different for each student.',
      exercises.map(each => [
        learnLink(each.title, String(each.exercise)),
        each.numbers.length > 0 ? mark('by hand', each.name) : element('span', 'code only', 'mark'),
      ]),
    ),
    list(
      'Backward functions as formulas',
      'Write the backward function (VJP) of an op; typical mistakes are identified.',
      rules.map(each => [learnLink(each.title, 'rule', each.rule), mark('rule', each.rule)]),
    ),
    list(
      'Find the fault',
      'A small network in which one backward function is wrong. Any number of faults.',
      ['1', '2', '3', '4', '5'].map(seed => [
        learnLink(`Fault ${seed}`, 'fault', '--seed', seed),
        mark('fault', seed),
      ]),
    ),
  );
  const teachers = element('section');
  const ways = element('p');
  ways.append(
    commandLink('A worksheet for your class', () => ['sheet']),
    ' · ',
    commandLink('Grade submissions', () => ['learn', 'grade']),
  );
  teachers.append(element('h3', 'For teachers'), ways);
  view.append(element('h2', 'Exercises'), element('p', about), parts, handInSection(), teachers);
  return view;
}

addTab('exercises', 'Exercises', learnable, panel => {
  let words = ['learn'];
  let turn = 0; // number of the latest request; results of older requests are dropped
  const views = new Map(); // views by command line, so that typed answers are kept
  const status = statusLine();
  const place = element('div');

  const number = attributed(element('input'), {
    type: 'number',
    min: '0',
    step: '1',
    'aria-describedby': 'whose',
  });
  const changed = async value => {
    if (!/^\d{1,15}$/.test(value)) {
      status.textContent = `The student number must be 0 or more, got ${value || 'empty'}.`;
      number.value = learner.number;
      return;
    }
    await learner.become(value);
    const rest = withOption(words, 'student', '');
    show(words[0] === 'learn' ? [...rest, ...learner.whose()] : rest);
  };
  const whoseText = 'You get it from your teacher; each number has its own exercises.';
  const about = attributed(element('span', whoseText, 'soft'), { id: 'whose' });
  const bar = element('div', undefined, 'choose');
  const all = learnLink('All exercises');
  const whose = element('span', undefined, 'choose');
  const handIn = button('', async () => {
    if (!place.querySelector('.hand-in')) {
      const list = ['learn', ...learner.whose()];
      history.pushState(null, '', fragmentOf(list));
      await show(list);
    }
    place.querySelector('.hand-in').scrollIntoView();
  });
  whose.append(field("Student number", number, changed), about, handIn);
  bar.append(all, whose, linkButton(() => words));
  learner.changed.add(() => {
    number.value = learner.number;
    handIn.textContent = `To submit: ${plural(learner.count, 'task')}`;
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

  async function show(asked) {
    words = asked;
    const mine = ++turn;
    const kind = kindOf(positional(words));
    status.textContent = '';
    try {
      const student = optionOf(words, 'student');
      if (kind !== 'sheet' && student !== '' && student !== learner.number) {
        if (!/^\d{1,15}$/.test(student))
          throw new Error(`--student ${student}: the student number must be 0 or more`);
        await learner.become(student);
      }
      if (kind === 'sheet') await takeSheet(words);
      const key = `${kind} ${lineOf(words)} ${learner.number}`;
      if (!views.has(key)) views.set(key, await viewOf[kind]());
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
