// The component that shows a trace: as a graph, step by step, with what each op does in words. The
// static pages of `explain`, its pages inside other pages, and the home tab use it.
//   new Explainer(root, data, { given, moved, chosen, keys })
// `given` has the texts of the variables' values by name, and moved(name, i, text) is called when
// the reader changes number i of a variable; chosen() when the reader goes to another moment or
// selects another step or element. Arrow keys work in `keys`, by default in the whole page.
class Explainer {
  constructor(root, data, options = {}) {
    Object.assign(this, { root, options, predicting: new Prediction(this) });
    this.graph = new GraphView({
      pick: unit => this.pickUnit(unit),
      moved: options.moved,
    });
    this.elementView = new ElementView((step, index) => this.see(step, index));
    this.make();
    (options.keys ?? document).addEventListener('keydown', event => this.onKey(event));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.graph.draw(this.scope, this.given); // paints maps in the other colours
      this.show();
    });
    this.update(data, options.given);
  }

  // Shows other data. If the graph is the same, the moment, the selection and the focus stay.
  update(data, given = null) {
    const form = JSON.stringify([
      data.steps.map(({ name, op, inputs, shape, module }) => [name, op, inputs, shape, module]),
      given && [...given].map(([name, text]) => [name, numbersIn(text)?.length ?? text]),
    ]);
    this.trace = new Trace(data);
    this.root.classList.toggle('with-tangents', this.trace.hasTangents);
    this.note.textContent = data.note ?? '';
    this.note.hidden = !data.note;
    const isSame = form === this.form;
    this.form = form;
    if (!isSame) {
      this.given = given;
      this.state = this.trace.states.length - 1;
      this.predicting.restart();
      this.stop();
      this.step = this.trace.last;
      this.index = 0; // of the selected element
      this.showChoices();
      this.enter(Scope.whole(this.trace), true);
      return;
    }
    const scope = this.scopeOf(this.scope);
    const now = this.moment;
    this.scope = scope;
    this.timeline = new Timeline(scope);
    this.moment = now;
    this.graph.renew(scope, (this.given = given));
    this.show();
  }

  // Returns the scope in the new trace that has the same steps.
  scopeOf({ steps, names, depth, isFolding }) {
    return new Scope(this.trace, steps, names, depth, isFolding);
  }

  // Shows the inside of a box, or the whole graph.
  enter(scope, isNew = false) {
    const at = isNew ? 'end' : this.moment === this.timeline.end ? 'end' : this.now.phase;
    if (!isNew) this.predicting.restart();
    this.scope = scope;
    this.timeline = new Timeline(scope);
    this.moment = { end: this.timeline.end, forward: 0, backward: this.timeline.start }[at];
    this.graph.draw(scope, this.given);
    this.showPath();
    this.show();
  }

  // ---- what is known at this moment

  get numbers() {
    return this.trace.states[this.state];
  }
  get now() {
    return this.timeline.moments[this.moment];
  }
  get isForward() {
    return this.now.phase === 'forward';
  }
  get present() {
    return this.now.unit ?? null;
  }

  // Returns the state of a step's `value`, `tangent` or `gradient`: shown, not yet, hidden or none.
  stateOf(what, step) {
    if (what === 'gradient') return this.gradientState(step);
    if (what === 'tangent' && !this.numbers.hasTangent(step)) return 'none';
    return this.timeline.valueMoment(step) <= this.moment ? 'shown' : 'not yet';
  }
  gradientState(step) {
    if (!this.numbers.hasGradient(step)) return 'none';
    return this.known(this.timeline.gradientMoment(step));
  }
  known(at) {
    if (at > this.moment) return 'not yet';
    return at === this.moment && this.predicting.isAsking() ? 'hidden' : 'shown';
  }
  edgeState(edge) {
    const at = this.timeline.backwardAt.get(edge);
    if (at === undefined) return 'none';
    return this.trace.isPuzzle ? 'not shown' : this.known(at);
  }
  // Returns the state of the gradient that step `user` sends to its input.
  sentState(user, input) {
    if (this.trace.isPuzzle) return this.moment < this.timeline.start ? 'not yet' : 'not shown';
    const isIt = use => use.step === user && (input === undefined || use.input === input);
    const edge = [...this.timeline.backwardAt.keys()].find(({ uses }) => uses.some(isIt));
    if (edge) return this.edgeState(edge);
    const source = this.trace.steps[user].inputs[input ?? 0];
    return this.known(this.timeline.gradientMoment(source));
  }
  // Returns the sum of the gradients that a number with several uses has received so far; null if
  // none has come.
  partOf(step) {
    const edges = this.timeline.edgesFrom.get(step) ?? [];
    const come = edges.filter(edge => this.edgeState(edge) === 'shown');
    if (come.length === 0 || !this.trace.isScalar(step)) return null;
    return come.reduce((sum, edge) => sum + this.sentAlong(edge)[0], 0);
  }
  said(state) {
    return t({ 'not yet': 'notYet', hidden: 'hidden', none: 'none', 'not shown': 'notShown' }[state]);
  }

  // Returns the gradient that flows along an edge: the sum over its uses.
  sentAlong({ uses }) {
    const sent = uses
      .filter(({ step, input }) => this.numbers.steps[step].sent?.[input] != null)
      .map(({ step, input }) => this.numbers.sent(step, input));
    return sent[0]?.map((_, i) => sent.reduce((sum, each) => sum + each[i], 0));
  }

  // ---- the reader's actions

  go(moment) {
    this.moment = clamp(moment, 0, this.timeline.end);
    const { unit, edge } = this.now;
    const step = edge ? edge.source : unit?.step;
    if (step !== undefined) this.select(step);
    else this.show();
    this.graph.animate(this);
    this.options.chosen?.();
  }
  next() {
    this.go(this.moment === this.timeline.end ? 0 : this.moment + 1);
  }

  // Selects a step and one of its elements, by default the one with the largest gradient.
  select(step, index = null) {
    const { numbers } = this;
    const by = numbers.hasGradient(step) ? numbers.gradient(step) : numbers.value(step);
    this.step = step;
    this.index = index ?? largest(by);
    this.show();
  }

  // Selects a step, and opens the boxes around it.
  see(step, index = null) {
    const unit = this.scope.unitOf.get(step);
    const isShown = unit ? !unit.isBox : this.scope.units.some(each => each.step === step);
    if (!isShown) this.enter(Scope.around(this.trace, step));
    this.select(step, index);
    this.options.chosen?.();
  }

  // Goes to the moment when an op computes (f) or sends a gradient to an input (b).
  goTo(phase, op, input) {
    const unit = this.scope.unitOf.get(op);
    if (!unit || unit.isBox) this.enter(Scope.around(this.trace, op));
    const at = this.timeline.momentOf(phase, op, input);
    if (at >= 0) this.moment = at;
  }

  pickUnit(unit) {
    if (!unit.isBox) {
      this.panel.open = true;
      return this.see(unit.step);
    }
    this.enter(this.scope.open(unit));
    return this.path.querySelector('button:last-of-type')?.focus();
  }

  // Selects an element of the selected step.
  pick(index) {
    this.index = index;
    for (const map of this.maps) map.choose(index);
    showElement(this);
    this.options.chosen?.();
  }

  play() {
    if (this.timer !== undefined) return this.stop();
    if (this.moment === this.timeline.end) this.go(this.timeline.start);
    const move = () => {
      if (this.predicting.isAsking() || !this.root.isConnected) return this.stop();
      this.go(this.moment + 1);
      return this.moment === this.timeline.end && this.stop();
    };
    this.timer = setInterval(move, 2600);
    if (!this.predicting.isAsking()) this.go(this.moment + 1);
    return this.showPlaying();
  }
  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.showPlaying();
  }
  showPlaying() {
    const isPlaying = this.timer !== undefined;
    const isForward = this.timeline && this.moment < this.timeline.start;
    const name = isPlaying ? 'pause' : isForward ? 'playForward' : 'playBackward';
    this.playButton.textContent = `${isPlaying ? '❚❚' : isForward ? '▶' : '◀'} ${t(name)}`;
  }

  onKey(event) {
    const own = 'input, select, textarea, [role=tab], [role=application], [role=gridcell]';
    if (hasModifier(event) || event.target.matches?.(own) || !this.root.offsetParent) return;
    const isButton = event.target.matches?.('button, summary, a');
    const actions = {
      ArrowRight: () => this.next(),
      ArrowLeft: () => this.go(this.moment - 1),
      Home: () => this.go(0),
      End: () => this.go(this.timeline.end),
      p: () => this.trace.isPuzzle || this.predicting.box.click(),
    };
    if (!isButton) actions[' '] = () => this.play();
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  // ---- elements of the page

  make() {
    this.note = make('p.note');
    this.about = make('p.soft.about');
    this.path = make('div.path', { role: 'navigation', 'aria-label': t('wholeGraph') });
    this.caption = make('div.caption', { 'aria-live': 'polite' });
    this.panel = make('details.panel', { ontoggle: () => this.showBeside() }, make('summary'));
    stickWhole(this.panel);
    this.work = make('div.work', this.graph.root, this.panel);
    this.agreement = make('p.soft');
    const notation = t('notationText').map(text => make('p', text));
    attributed(this.root, { lang: language }).classList.add('explainer');
    this.root.append(
      ...[this.note, this.about, this.path, make('div.top', this.makePlayer(), this.caption)],
      ...[this.work, this.agreement],
      make('details.notation', make('summary', t('notation')), notation),
      make('p.soft.hint', t('keys')),
    );
  }

  makePlayer() {
    const named = (text, name, action) => button(text, action, { 'aria-label': t(name) });
    this.playButton = button('', () => this.play(), { class: 'main play' });
    this.nextButton = named('▶', 'step', () => this.next());
    this.range = make('input', {
      ...{ type: 'range', min: 0, 'aria-label': t('moment') },
      oninput: () => this.go(Number(this.range.value)),
    });
    this.choices = make('span.choices');
    return make(
      'div.player',
      { role: 'group', 'aria-label': t('time') },
      this.playButton,
      named('|◀', 'toStart', () => this.go(0)),
      named('◀', 'stepBack', () => this.go(this.moment - 1)),
      this.nextButton,
      named('▶|', 'toEnd', () => this.go(this.timeline.end)),
      this.range,
      this.choices,
    );
  }

  // Shows the controls that depend on the data: predictions, and the slider over checkpoints.
  showChoices() {
    const { states, isPuzzle } = this.trace;
    const choose = () => {
      this.state = Number(this.training.value);
      this.show();
      this.options.chosen?.();
    };
    const range = { type: 'range', min: 0, max: states.length - 1, oninput: choose };
    this.training = make('input.training', range);
    this.stateName = make('output');
    this.choices.replaceChildren(
      ...(isPuzzle ? [] : [this.predicting.controls]),
      ...(states.length > 1 ? [labelled(t('training'), this.training), this.stateName] : []),
    );
  }

  // Shows the boxes that are open, as links back to the outer ones.
  showPath() {
    const { names } = this.scope;
    this.path.hidden = names.length === 0;
    const outer = [Scope.whole(this.trace)];
    for (const name of names.slice(0, -1)) {
      const scope = outer[outer.length - 1];
      outer.push(scope.open(scope.units.find(unit => unit.isBox && unit.name === name)));
    }
    const nameOf = scope => scope.names[scope.names.length - 1] ?? t('wholeGraph');
    const links = outer.map(scope => button(nameOf(scope), () => this.enter(scope)));
    const here = make('strong', names[names.length - 1]);
    this.path.replaceChildren(...links.flatMap(link => [link, ' › ']), here);
  }

  show() {
    const { name, about } = this.numbers;
    this.about.textContent = about;
    this.about.hidden = !about;
    attributed(this.range, { max: this.timeline.end, 'aria-valuetext': this.momentText });
    this.range.value = this.moment;
    this.training.value = this.state;
    this.stateName.textContent = name;
    this.root.dataset.phase = this.now.phase;
    if (this.timer === undefined) this.showPlaying();
    this.graph.update(this);
    this.caption.replaceChildren(...captionOf(this));
    this.agreement.textContent = agreementOf(this);
    showPanel(this);
    this.showBeside();
  }

  // Shows the panel next to a graph that is drawn from top to bottom, if the window is wide.
  showBeside() {
    const { isVertical } = this.graph.layout ?? {};
    this.work.classList.toggle('beside', Boolean(isVertical) && this.panel.open);
  }

  get momentText() {
    const { phase, unit, edge } = this.now;
    if (edge) return `${t(phase)}: ${this.flowName(edge)}`;
    return unit ? `${t(phase)}: ${this.graph.nameOf(unit)}` : t(phase);
  }

  // ---- what flows along an edge

  flowName(edge) {
    return t('flow', this.userOf(edge), this.graph.said(edge.source));
  }
  userOf(edge) {
    const unit = this.scope.byId.get(edge.to);
    return unit.isBox ? this.graph.nameOf(unit) : this.graph.said(edge.uses[0].step);
  }

  // Returns the flow along an edge with one use: see flowOf.
  flowAlong(edge) {
    if (edge.uses.length !== 1 || this.scope.byId.get(edge.to).isBox) return null;
    const chosen = this.step === edge.source ? this.index : null;
    return flowOf(this.trace, this.numbers, edge.uses[0], chosen);
  }

  // Returns the label of the present edge: the equation, or the question.
  edgeContent(edge) {
    if (this.trace.isPuzzle) return null;
    if (this.predicting.isAsking()) return this.predicting.form;
    const flow = this.flowAlong(edge);
    const text = flow
      ? equationOf(flow).replace(' =', '\n=')
      : numberText(largestOf(this.sentAlong(edge)));
    return make('span.flowed', text);
  }
}
