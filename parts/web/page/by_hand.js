// An exercise of the course: its text, and the numbers that it asks for by hand.

// A field for a number, and what the command said to it.
class NumberField {
  constructor(name, id) {
    this.name = name;
    this.input = attributed(element('input'), { id, spellcheck: 'false', autocapitalize: 'none', autocomplete: 'off' });
    this.said = attributed(element('span', '', 'said'), { id: `${id}-said` });
    this.input.setAttribute('aria-describedby', this.said.id);
    this.input.addEventListener('input', () => this.say('', ''));
    const label = attributed(element('label', name), { for: id });
    this.root = element('div', undefined, 'number');
    this.root.append(label, this.input, this.said);
  }
  get answer() {
    const text = this.input.value.trim().replace(/^[−–]/, '-').replace(/^(-?\d*),(\d+)$/, '$1.$2');
    return text === '' ? null : `${this.name}=${text}`;
  }
  say(state, text) {
    this.said.textContent = text;
    this.root.dataset.state = state;
    this.input.setAttribute('aria-invalid', String(state === 'wrong'));
  }
  show({ state, given, expected, note }) {
    const remarks = [expected ? `should be ${expected}` : '', note ?? ''].filter(Boolean).join('; ');
    if (state === 'right') this.say(state, '✓ right');
    if (state === 'wrong') this.say(state, `✗ ${given} is wrong${remarks ? `; ${remarks}` : ''}`);
    if (state === 'not done') this.say(state, 'still to do');
  }
}

async function byHandView(words) {
  const name = words[1];
  const task = await engine.json(['learn', name, ...learner.whose()]);
  const { title, root: text } = courseText(task.text);
  const view = element('article', undefined, 'lesson');
  const form = element('form', undefined, 'answer');
  const status = statusLine();
  const after = element('p');
  const fields = task.numbers.map(number => new NumberField(number, `${task.name}-${learner.number}-${number}`));
  const exercise = ['learn', String(task.exercise)];
  const asked = () => fields.map(field => field.answer).filter(Boolean);

  async function check() {
    if (asked().length === 0) {
      status.textContent = 'Write at least one number. Fractions will do, as in 1/3.';
      return fields[0].input.focus();
    }
    const result = await learner.answer([...exercise, ...asked(), '--no-answers']);
    result.parts.forEach((part, i) => fields[i].show(part));
    status.textContent = `${result.passed} of ${plural(fields.length, 'number')} right.`;
    tell.hidden = !result.parts.some(part => part.state === 'wrong');
    tell.first.hidden = tell.hidden;
    after.replaceChildren();
    if (result.right) after.append('Solved. Next: ', await nextAfterHand(task));
    else fields.find(({ root }) => root.dataset.state === 'wrong')?.input.focus();
  }
  async function tellAll() {
    const { parts } = await engine.json([...exercise, ...asked(), ...learner.whose()]);
    parts.forEach((part, i) => fields[i].show(part));
    tell.hidden = true;
    await learner.noteShown('by hand', task.name);
  }

  const { list, next } = hints(`by hand ${task.name} ${learner.number}`, () => learner.answer([...exercise, '--hint']));
  const tell = confirmed(
    'Say what they should be',
    'This shows the right numbers for those that are wrong. What you hand in will say that they were shown.',
    'Show them',
    () => attempt(status, tellAll),
  );
  tell.hidden = true;
  const buttons = element('div', undefined, 'choose');
  buttons.append(Object.assign(element('button', 'Check'), { type: 'submit', className: 'main' }), next, tell);
  form.append(element('h3', 'Your numbers'));
  if (fields.length > 0) {
    const about = 'Take a pencil. Two decimals are enough; 1/3 and -0.18 will do, and so will some of them.';
    form.append(element('p', about, 'soft'), ...fields.map(field => field.root), buttons, status, list, after);
  } else {
    form.append(element('p', 'This exercise asks for no numbers: all of it is code.'));
    after.append('Next: ', await nextAfterHand(task));
    form.append(after);
  }
  form.append(codeNote(task));
  form.addEventListener('submit', event => {
    event.preventDefault();
    attempt(status, check);
  });

  // What a link has filled in.
  for (const word of words.slice(2)) {
    const field = fields.find(each => word.startsWith(`${each.name}=`));
    if (!field) continue;
    field.input.value = word.slice(field.name.length + 1);
    status.textContent = 'The link has filled in numbers; Check says whether they are right.';
  }
  text.prepend(element('h2', title));
  view.append(text, form);
  return view;
}

// The rest of an exercise is code, which a page can't compile.
function codeNote({ exercise, name, numbers }) {
  const result = element('p', undefined, 'soft');
  const begin = numbers.length > 0 ? 'The other parts are code in C++' : 'It is in C++';
  const line = lineOf(['tapehead', 'learn', String(exercise), '--into', name, ...learner.whose()]);
  return inlineCode(result, `${begin}, and need a compiler, on your own machine: \`${line}\`.`);
}

// The rule of the same name, or the next exercise.
async function nextAfterHand({ exercise, name }) {
  const { exercises, rules } = await course();
  const rule = rules.find(each => each.rule === name);
  if (rule) return learnLink(`the rule as a formula, ${rule.title}`, 'rule', name);
  const next = exercises.find(each => each.exercise === exercise + 1);
  if (next) return learnLink(`exercise ${next.exercise}, ${next.title}`, String(next.exercise));
  return learnLink("find others' mistakes", 'fault', '--seed', '1');
}
