// The Step tab: backpropagation through an expression whose numbers the reader can change, or
// through a model trained in this page, for one example.

const steppable = words =>
  words[0] === 'explain' &&
  !words.some(word => /^(-h|--help|--json|--tape|--element|--out)(=|$)/.test(word));

// Examples: title and arguments of `explain`.
const expressions = [
  ['The chain rule: a neuron', "'tanh(x*w + b)' x=2 w=-3 b=6.88"],
  ['Fan-out: a value used twice', "'a*b + a' a=2 b=3"],
  ['A kink: relu at 0', "'relu(x)*w' 'x=[2, -1, 0]' w=3"],
  ['A row added to each row', "'x*w + b' 'x=[1, 2; 3, 4]' 'w=[10, 20]' b=1"],
  ['A matmul', "'x @ w' 'x=[1, 2; 0, 1]' 'w=[3, 0; 1, 2]' 'dy=[1, 0; 0, 0]'"],
  ['Softmax cross-entropy', "'cross_entropy(x, targets)' 'x=[1, 2, 0.5]' targets=1"],
  ['The same, op by op', "'-log(exp(x)/sum(exp(x)))' 'x=[1, 2, 0.5]' 'dy=[0, 1, 0]'"],
  ['Layer norm', "'layer_norm(x, epsilon=0)' 'x=[0, 0, 2, 2]' 'dy=[4, 0, 0, 0]'"],
  [
    'Attention, op by op',
    "'softmax(q @ k.T / 1.4142) @ v' 'q=[2, 0; 0, 2]' 'k=[1, 0; 0, 1]' 'v=[1, 2; 3, 4]'",
  ],
  [
    'Attention, one op, causal',
    "'attention(q, k, v, causal)' 'q=[2, 0; 0, 2]' 'k=[1, 0; 0, 1]' 'v=[1, 2; 3, 4]'",
  ],
  ['Rotary positions', "'rotary(q) @ rotary(k).T' 'q=[1, 0; 1, 0; 1, 0]' 'k=[1, 0; 1, 0; 1, 0]'"],
];

// A queue that runs only the latest request: a new request replaces the one that is waiting.
class Latest {
  constructor(work) {
    this.work = work;
    this.waiting = [];
    this.isBusy = false;
  }
  async ask(task) {
    this.waiting = [task];
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.waiting.length > 0) await this.work(this.waiting.pop());
    this.isBusy = false;
  }
}

const trainLink = command =>
  Object.assign(element('a', lineOf(command)), { href: fragmentOf(command) });

// Returns a text field for a part of a command line.
const lineInput = () =>
  attributed(element('input', undefined, 'wide'), {
    spellcheck: 'false',
    autocapitalize: 'none',
    autocomplete: 'off',
  });

// Reports that the page lacks the run named in a link, with a link to train the task in its name.
function sayMissing(status, run) {
  const [, task = 'reverse'] = /^runs\/([\w-]+)-\d+$/.exec(run) ?? [];
  status.textContent = `No run ${run || 'selected'} in this page. Train it first: `;
  status.append(trainLink(['train', task]));
}

addTab('step', 'Step', steppable, panel => {
  let words = []; // command line of the latest request
  let drawn = []; // command line of the tape shown
  let edited = null; // the number being edited in the line: { name, index i }
  let saying = 0; // timer that updates the address, since browsers limit changes
  const follow = asked => {
    words = asked;
    clearTimeout(saying);
    saying = setTimeout(() => say(words), 250);
  };

  // ---- an expression and its values

  const line = lineInput();
  const examples = setOptions(
    element('select'),
    ['choose one', ...expressions.map(([title]) => title)],
    ['', ...expressions.map(([, text]) => text)],
  );
  const form = element('form');
  const start = Object.assign(element('button', 'Show'), { type: 'submit', className: 'main' });
  const asked = element('div', undefined, 'choose');
  const status = statusLine();
  asked.append(labelled('explain', line), start, linkButton(() => words));
  const chosen = element('div', undefined, 'choose');
  chosen.append(labelled('An example', examples));
  form.append(chosen, asked);

  // Finds number i of the variable `name`: the index of the word, and the position in the word.
  function placeOf(of, name, i) {
    const at = of.findIndex((word, j) => j > 1 && word.startsWith(`${name}=`));
    const number = at < 0 ? undefined : numbersIn(of[at].slice(name.length + 1))?.[i];
    return number && { at, from: name.length + 1 + number.at, length: number.text.length };
  }

  // Returns the command line in which to change a number: the latest, or the one shown if the
  // latest has another expression.
  const wordsWith = (name, i) => (words[1] === drawn[1] && placeOf(words, name, i) ? words : drawn);

  function withNumber(name, i, text) {
    const of = wordsWith(name, i);
    const { at, from, length } = placeOf(of, name, i);
    const changed = of[at].slice(0, from) + text + of[at].slice(from + length);
    return of.map((word, j) => (j === at ? changed : word));
  }

  // Selects a number in the text field for editing. Enter and Escape move the focus back.
  function edit(name, i) {
    const of = wordsWith(name, i);
    const { at, from, length } = placeOf(of, name, i);
    line.value = lineOf(of.slice(1));
    edited = { name, i };
    const start = line.value.indexOf(of[at]) + from;
    line.focus();
    line.setSelectionRange(start, start + length);
  }
  line.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || !edited) return;
    line.value = lineOf(words.slice(1));
    tape.focus(edited);
  });
  line.addEventListener('blur', () => (edited = null));

  const tape = new Tape({
    moved(name, i, text) {
      explain(withNumber(name, i, text), { moved: { name, i } });
    },
    edit,
    // Replaces a value such as randn(3, 4) by its numbers with three digits, which can be changed.
    fix(name, { value, shape }) {
      const texts = flat(value).map(each => String(Number(each.toPrecision(3))));
      const isIt = (word, i) => i > 1 && word.startsWith(`${name}=`);
      const fixed = drawn.map((word, i) => (isIt(word, i) ? `${name}=${valueText(texts, shape)}` : word));
      explain(fixed, { focus: { name, i: 0 } });
    },
  });
  const about = element(
    'p',
    'Drag a number of a value, or move it with the arrow keys, and the gradients follow. A row ' +
      'under the pointer, or focused with the tab key, has a solid line next to its inputs and a ' +
      'dashed one next to its users.',
    'soft',
  );
  const prime = "A name with a prime (') is local to the backward function, not a variable.";
  const primes = element('p', prime, 'soft');
  const step = button('Step through it', () => stepThrough(drawn, status));
  const doing = element('div', undefined, 'choose');
  doing.append(step, tape.prediction.controls);
  const explained = element('div');
  explained.append(about, doing, tape.root, tape.prediction.score, primes);
  explained.hidden = true;

  // Returns the texts of the variables' values by name.
  const nameAndText = word => [word.split('=')[0], word.slice(word.indexOf('=') + 1)];
  const givenBy = of => new Map(of.slice(2).map(nameAndText));

  const latest = new Latest(async ({ asked, moved, focus }) => {
    try {
      const { lines } = await engine.json(asked);
      if (!lines) return stepThrough(asked, status); // a run, not an expression
      // If a waiting request isn't just a changed number of this expression, it replaces this one.
      const [next] = latest.waiting;
      if (next && !(next.moved && next.asked[1] === asked[1])) return undefined;
      drawn = asked;
      tape.show(lines, givenBy((next ?? { asked }).asked));
      primes.hidden = !lines.some(({ rule = '' }) => /\w'/.test(rule));
      explained.hidden = false;
      tape.root.classList.remove('stale');
      if (focus) tape.focus(focus);
      status.textContent = moved ? movedText(lines, moved) : '';
    } catch (error) {
      status.textContent = `${error.message}.`;
      tape.root.classList.add('stale');
    }
  });

  // Describes a changed number for screen readers: `x is 2.1; gradient -1.2, result 0.6`.
  function movedText(lines, { name, i }) {
    const variable = lines.find(({ op, inputs }) => op === name && inputs.length === 0);
    const result = lines[lines.length - 1];
    const parts = [];
    if (variable?.gradient !== undefined && !tape.prediction.isOn) {
      const element = elementName(name, i, variable.shape ?? []);
      parts.push(`gradient of ${element} ${numberText(flat(variable.gradient)[i])}`);
    }
    if (!result.shape) parts.push(`result ${numberText(result.value)}`);
    return parts.join(', ');
  }

  // Explains a command line. `moved` is the number that was changed and `focus` the number to focus
  // afterwards, as { name, i }.
  function explain(asked, { moved = null, focus = null } = {}) {
    line.value = lineOf(asked.slice(1));
    examples.value = expressions.some(([, text]) => text === line.value) ? line.value : '';
    follow(asked);
    shown.hide();
    latest.ask({ asked, moved, focus });
  }

  function read() {
    try {
      const given = wordsOf(line.value);
      const asked = ['explain', ...(given[0] === 'explain' ? given.slice(1) : given)];
      if (edited) explain(asked, { focus: edited });
      else open(asked);
    } catch (error) {
      status.textContent = `${error.message}.`;
    }
  }
  form.addEventListener('submit', event => {
    event.preventDefault();
    read();
  });
  examples.addEventListener('change', () => {
    if (examples.value) explain(['explain', ...wordsOf(examples.value)]);
  });

  // ---- the page that `explain` writes, for an expression or an example in a trained model

  const shown = new Shown('backpropagation, step by step');

  async function stepThrough(asked, told) {
    told.textContent = 'Creating the page…';
    const { status: code, err } = await engine.run([...asked, '--out', 'step.html']);
    told.textContent = code === 0 ? '' : `${messageOf(err, code)}.`;
    if (code !== 0) return;
    shown.show(await engine.read('step.html'));
    shown.root.scrollIntoView({ block: 'start' });
    shown.frame.focus({ preventScroll: true });
  }

  const runs = element('select');
  const example = attributed(element('input'), { type: 'number', min: 0, value: 0 });
  const trained = element('form', undefined, 'choose');
  const go = Object.assign(element('button', 'Show its pass'), { type: 'submit' });
  const ofRun = statusLine();
  const none = element('p', 'No model has been trained in this page yet: ', 'soft');
  none.append(trainLink(['train', 'reverse']), '.');
  trained.append(labelled('run', runs), labelled('example', example), go);
  trained.addEventListener('submit', event => {
    event.preventDefault();
    open(['explain', runs.value, '--example', String(Number(example.value))]);
  });

  async function listRuns(chosen = runs.value) {
    const names = (await engine.list('runs')).map(name => `runs/${name}`);
    setOptions(runs, names, names);
    if (names.includes(chosen)) runs.value = chosen;
    trained.hidden = names.length === 0;
    none.hidden = !trained.hidden;
  }

  // Opens the run in a link; the run may be missing, since each page has its own runs.
  async function openRun(asked) {
    clearTimeout(saying);
    words = asked;
    say(words);
    example.value = optionOf(asked, 'example', '0');
    if (runs.value === asked[1]) return stepThrough(asked, ofRun);
    sayMissing(ofRun, asked[1]);
    ofRun.scrollIntoView({ block: 'nearest' });
  }

  const model = element('section');
  model.append(element('h2', 'A trained model'), trained, none, ofRun);
  panel.append(form, status, explained, model, shown.root);

  return {
    async open(asked) {
      words = asked;
      shown.hide();
      ofRun.textContent = '';
      await listRuns(asked[1]);
      if (words !== asked) return; // superseded by a newer request
      const isRun = asked[1]?.startsWith('runs/') || runs.value === asked[1];
      if (isRun && asked[1]) openRun(asked);
      else explain(asked);
    },
    shown() {
      listRuns();
      if (words.length === 0) explain(['explain', ...wordsOf(expressions[0][1])]);
      else say(words);
    },
  };
});
