// The course: exercises by hand, rules as formulas, faults to find; what is handed in, and how it
// is graded; and sheets, which lead through all of the page.

const course = (() => {
  let found = null;
  const load = async () => {
    const [exercises, rules] = [await engine.json(['learn']), await engine.json(['learn', 'rule'])];
    return { exercises, rules };
  };
  return () => (found ??= load());
})();

// A line that needs more of the command than the tab has is for the command line.
const learnOptions = /^--(student|seed)(=|$)/;
const learnable = words =>
  words[0] === 'sheet' ||
  (words[0] === 'learn' &&
    words[1] !== 'check' &&
    !words.some(word => word === '-h' || (word.startsWith('--') && !learnOptions.test(word))));

// Without options and their values.
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
    'A course in backpropagation, from the chain rule to a transformer block, for those who know ' +
    'calculus. Begin with the first exercise: read, take a pencil, write your numbers, and see ' +
    'which are right.';
  const parts = element('div', undefined, 'parts');
  parts.append(
    list(
      'Exercises by hand',
      'Each explains one thing and asks for a few numbers, which are your own.',
      exercises.map(each => [
        learnLink(each.title, String(each.exercise)),
        each.numbers.length > 0 ? mark('by hand', each.name) : element('span', 'code only', 'mark'),
      ]),
    ),
    list(
      'Rules as formulas',
      'Write the gradient rule of an op for any numbers; typical mistakes are told by name.',
      rules.map(each => [learnLink(each.title, 'rule', each.rule), mark('rule', each.rule)]),
    ),
    list(
      'Find the fault',
      'A small network in which one rule is wrong. As many as you like.',
      ['1', '2', '3', '4', '5'].map(seed => [
        learnLink(`Fault ${seed}`, 'fault', '--seed', seed),
        mark('fault', seed),
      ]),
    ),
  );
  const teachers = element('section');
  const ways = element('p');
  ways.append(
    commandLink('A sheet for your class', () => ['sheet']),
    ' · ',
    commandLink('Grade what was handed in', () => ['learn', 'grade']),
  );
  teachers.append(element('h3', 'For teachers'), ways);
  view.append(element('h2', 'Exercises'), element('p', about), parts, handInSection(), teachers);
  return view;
}

addTab('exercises', 'Exercises', learnable, panel => {
  let words = ['learn'];
  let turn = 0; // of what was asked last: what is late is not shown
  const views = new Map(); // by line: nothing that was typed is lost on the way to another
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
      status.textContent = `A student's number is 0 or more, not ${value || 'empty'}.`;
      number.value = learner.number;
      return;
    }
    await learner.become(value);
    const rest = withOption(words, 'student', '');
    show(words[0] === 'learn' ? [...rest, ...learner.whose()] : rest);
  };
  const whoseText = 'Your teacher has one for you; each number has exercises of its own.';
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
  whose.append(field("Student's number", number, changed), about, handIn);
  bar.append(all, whose, linkButton(() => words));
  learner.changed.add(() => {
    number.value = learner.number;
    handIn.textContent = `To hand in: ${plural(learner.count, 'task')}`;
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
          throw new Error(`--student ${student}: a student's number is 0 or more`);
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
    whose.hidden = kind === 'grade' || lineOf(words) === 'sheet'; // teachers have none
    say(words);
    arrive();
  }
  // Who came by a link that is gone now begins at the title.
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
