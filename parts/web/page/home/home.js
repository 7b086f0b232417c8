// The home tab: a graph that the reader changes and steps through. It shows expressions, in lessons
// from one neuron to an attention head, and models trained in this page.

const explainable = words =>
  words[0] === 'explain' &&
  !words.some(word => /^(-h|--help|--json|--tape|--element|--out)(=|$)/.test(word));

// Runs `explain` and returns the data of the page that it writes.
async function explained(words) {
  await engine.ready;
  return explainData(await engine.page(words));
}

// Returns the command's error in a sentence, without the command's name and its list of functions.
function sayError(message) {
  const [, name] = /unknown function '(\w+)'/.exec(message) ?? [];
  return name ? t('unknownFunction', name) : `${message.replace(/^explain: /, '')}.`;
}

class Home {
  constructor(panel) {
    this.panel = panel;
    this.words = [];
    this.latest = new Latest(task => this.work(task));
    this.make();
  }

  make() {
    this.path = make('ol.lessons', lessonNames.map(name => this.makeLesson(name)));
    this.text = make('div.lesson-text');
    this.line = lineInput();
    this.form = makeForm(
      'form.choose',
      () => this.read(),
      labelled(t('expression'), this.line),
      make('button', t('draw')),
    );
    this.status = statusLine();
    this.command = make('code');
    this.model = new ModelForm(this);
    this.graph = make('div');
    this.next = button('', () => this.goOn());
    this.panel.append(
      make('nav', { 'aria-label': t('lessons') }, this.path),
      ...[this.text, this.form, this.model.root, this.status, this.graph],
      make(
        'div.choose.below',
        make('details.as-command', make('summary', t('asCommand')), this.command),
        this.next,
        linkButton(() => this.words),
      ),
    );
  }

  makeLesson(name) {
    const title = t(`lesson.${name}`);
    const link = button(make('span', title), () => this.go(name), { title });
    return make('li', { 'data-lesson': name }, link);
  }

  // Opens a lesson.
  go(name) {
    if (name === 'model') return this.openModel();
    const [, line] = lessons.find(([each]) => each === name);
    return this.explain(['explain', ...wordsOf(line)]);
  }

  // Opens the next lesson; after the last one, the exercises.
  goOn() {
    const next = lessonNames[lessonNames.indexOf(this.lesson) + 1];
    if (!next) return open(['learn']);
    window.scrollTo(0, 0);
    this.path.querySelector(`[data-lesson=${next}] button`).focus({ preventScroll: true });
    return this.go(next);
  }

  // Marks the lesson of a command line, and shows its text.
  mark(name) {
    this.lesson = name;
    for (const { dataset, firstChild } of this.path.children)
      attributed(firstChild, { 'aria-current': dataset.lesson === name ? 'step' : null });
    const texts = [
      make('h2', t(`lesson.${name}`)),
      make('p', t(`lesson.${name}.text`)),
      make('p.try', t(`lesson.${name}.try`)),
    ];
    this.text.replaceChildren(...(name ? texts : []));
    const next = lessonNames[lessonNames.indexOf(name) + 1];
    this.next.textContent = t('next', next ? t(`lesson.${next}`) : t('exercises').tab);
    this.next.hidden = name === '';
    this.form.hidden = name === 'model';
    this.model.root.hidden = name !== 'model';
  }

  // ---- expressions

  read() {
    const typed = expressionWords(this.line.value);
    if (typed[0]) this.ask({ typed });
    else this.status.textContent = t('typeExpression');
  }

  // Shows a command line. `moved` tells that only a number has changed.
  explain(words, moved = false) {
    this.words = words;
    this.ask({ words, moved });
  }
  ask(task) {
    this.wantsRun = task.words?.[1].startsWith('runs/') ?? false;
    this.latest.ask(task);
  }

  async work({ words, typed, moved }) {
    try {
      const kept = typed ? this.keptFor(typed[0]) : null;
      const found = typed ? await completed(typed, kept, explained) : { words, data: await this.dataOf(words) };
      const [next] = this.latest.waiting;
      const isRun = found.words[1].startsWith('runs/');
      if ((next && !next.moved) || isRun !== this.wantsRun) return;
      if (typed || !next) this.words = found.words;
      this.show(found.words, found.data, moved);
      this.status.textContent = '';
    } catch (error) {
      this.status.textContent = sayError(error.message);
      this.graph.classList.add('stale');
    }
  }

  // Returns the values that an edited expression keeps; none for a new expression.
  keptFor(expression) {
    const all = valuesByName(this.words.slice(2));
    const used = new Set(expression.match(/[A-Za-z_]\w*/g));
    const kept = new Map([...all].filter(([name]) => used.has(name)));
    return kept.size > 1 || kept.size === all.size ? kept : new Map();
  }

  // Returns the data of a command line; the first lesson is ready before the command is.
  dataOf(words) {
    const isFirst = lineOf(words) === lineOf(['explain', ...wordsOf(lessons[0][1])]);
    return isFirst && data.first ? data.first : explained(words);
  }

  show(words, shown, moved) {
    this.graph.classList.remove('stale');
    this.graph.hidden = false;
    const isRun = shown.steps.some(({ parameter }) => parameter);
    const given = isRun ? null : valuesByName(words.slice(2));
    if (this.explainer) this.explainer.update(shown, given);
    else this.explainer = new Explainer(this.graph, shown, { given, moved: (...where) => this.move(...where) });
    clearTimeout(this.saying);
    this.saying = setTimeout(() => this.panel.hidden || say(this.words), moved ? 250 : 0);
    this.command.textContent = `tapehead ${lineOf(words)}`;
    if (!moved && !isRun) this.line.value = words[1];
    const isLesson = ([, line]) => wordsOf(line)[0] === words[1];
    if (!moved) this.mark(isRun ? 'model' : (lessons.find(isLesson)?.[0] ?? ''));
  }

  // Changes number i of a variable in the latest command line.
  move(name, i, text) {
    const words = this.words.map((word, at) => {
      if (at < 2 || !word.startsWith(`${name}=`)) return word;
      const value = word.slice(name.length + 1);
      const { at: from, text: old } = numbersIn(value)[i];
      return `${name}=${value.slice(0, from)}${text}${value.slice(from + old.length)}`;
    });
    this.explain(words, true);
  }

  // ---- models

  async openModel(words = null) {
    this.wantsRun = true;
    this.graph.hidden = true;
    this.mark('model');
    await this.model.open(words);
  }

  open(words) {
    if (words.length === 0) return this.explainer ? undefined : this.go(lessons[0][0]);
    if (words[1]?.startsWith('runs/')) return this.openModel(words);
    // A link may leave out the values of names.
    return words.some(word => word.startsWith('--'))
      ? this.explain(words)
      : this.ask({ typed: words.slice(1) });
  }
}

// Chooses a run trained in this page and a sequence for it.
class ModelForm {
  constructor(home) {
    this.home = home;
    this.prompt = lineInput({ value: quickPrompt });
    this.runs = make('select', { onchange: () => (this.prompt.value = '') });
    this.train = button(t('trainNow'), () => this.trainQuickly());
    this.chosen = make(
      'span.choose',
      labelled(t('run'), this.runs),
      labelled(t('sequence'), this.prompt),
      make('button.main', t('draw')),
    );
    this.root = makeForm('form.choose.model', () => this.show(), this.chosen, this.train);
    this.root.hidden = true;
  }

  // Lists the page's runs, the newest first, and shows the one in a command line.
  async open(words) {
    const names = (await engine.list('runs')).map(name => `runs/${name}`).reverse();
    setOptions(this.runs, names, names);
    this.chosen.hidden = names.length === 0;
    this.train.hidden = names.length > 0;
    if (!words) return names.length > 0 && this.show();
    if (!names.includes(words[1])) return sayMissing(this.home.status, words[1]);
    this.runs.value = words[1];
    this.prompt.value = optionOf(words, 'prompt');
    return this.run(words);
  }

  show() {
    const prompt = this.prompt.value.trim();
    const asked = prompt ? ['--prompt', prompt] : ['--example', '0'];
    return this.run(['explain', this.runs.value, ...asked, '--checkpoint', 'last']);
  }

  run(words) {
    this.home.status.textContent = t('computing');
    return this.home.explain(words);
  }

  async trainQuickly() {
    const { status } = this.home;
    this.train.disabled = true;
    status.textContent = t('trainingNow', 0);
    await engine.ready;
    await engine.run(quickRun, (stream, text) => {
      const [, step] = (stream === 'metrics' && /"step": ?(\d+)/.exec(text)) || [];
      if (step) status.textContent = t('trainingNow', step);
    });
    this.train.disabled = false;
    this.prompt.value = quickPrompt;
    await this.open(null);
  }
}

addTab('home', t('home'), words => words.length === 0 || explainable(words), panel => {
  const home = new Home(panel);
  return {
    open: words => home.open(words),
    shown() {
      if (home.lesson === 'model' && home.graph.hidden) home.openModel();
      else if (home.words.length === 0) home.open([]);
      else say(home.words);
    },
  };
});
