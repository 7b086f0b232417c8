// The page of `tapehead explain`. A moment is one op in the forward or in the backward pass. The
// moments are all ops forward in tape order, then backward. Values of later moments are "not yet
// computed". The address contains the selection: #at=b44&see=43&element=5&state=1.
const moments = 2 * ops.length;

class Page {
  constructor() {
    this.moment = 0;
    this.step = ops[0];
    this.state = states.length - 1;
    this.predict = false;
    this.answered = new Set(); // moments whose gradients were predicted or revealed
    this.right = 0;
    this.element = { step: this.step, index: 0 };
    this.list = new StepList(step => this.see(step));
    this.elementView = new ElementView((step, index) => this.see(step, index));
    this.make();
    document.addEventListener('keydown', event => this.onKey(event));
    window.addEventListener('hashchange', () => this.readAddress());
    window.addEventListener('beforeprint', () => fillHandout(this.handout, this));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.show());
  }

  // ---- what is computed at this moment

  get numbers() {
    return states[this.state];
  }

  get isForward() {
    return this.moment < ops.length;
  }

  get present() {
    return this.isForward ? ops[this.moment] : ops[moments - 1 - this.moment];
  }

  valueState(step) {
    return !isOp(step) || !this.isForward || step <= this.present ? 'shown' : 'not yet';
  }

  // Returns the state of a step's tangent, which is computed together with the value.
  tangentState(step) {
    return this.numbers.hasTangent(step) ? this.valueState(step) : 'none';
  }

  // Returns the state of a step's gradient. It is complete when the step that used the value first
  // has sent its contribution.
  gradientState(step) {
    if (!this.numbers.hasGradient(step)) return 'none';
    if (this.isForward) return 'not yet';
    if (step === last) return 'shown';
    const first = uses[step].length > 0 ? uses[step][0].step : step;
    if (first < this.present) return 'not yet';
    return first === this.present && this.isAsking() ? 'hidden' : 'shown';
  }

  sentState(user) {
    if (this.isForward || user < this.present) return 'not yet';
    if (!this.numbers.steps[user].sent) return 'not shown';
    return user === this.present && this.isAsking() ? 'hidden' : 'shown';
  }

  // Returns whether the reader must predict the gradient that this moment computes.
  isAsking() {
    return this.predict && !this.isForward && !this.answered.has(this.moment);
  }

  said(state) {
    return {
      'not yet': 'not yet computed',
      hidden: '? predict it',
      none: 'none: no gradient flows here',
      'not shown': 'not shown',
    }[state];
  }

  // ---- the reader's actions

  go(moment) {
    this.moment = clamp(moment, 0, moments - 1);
    this.see(this.present);
  }

  // Selects a step and one of its elements, by default the element with the largest gradient.
  see(step, index = null) {
    const { numbers } = this;
    const by = numbers.hasGradient(step) ? numbers.gradient(step) : numbers.value(step);
    this.step = step;
    this.element = { step, index: index ?? largest(by) };
    this.show();
    this.remember();
  }

  pick(step, index) {
    this.element = { step, index };
    for (const { map, of } of this.maps) map.choose(of === step ? index : -1);
    this.showElement();
    this.remember();
  }

  play() {
    const playing = this.timer !== undefined;
    clearInterval(this.timer);
    this.timer = undefined;
    if (!playing) {
      if (this.moment === moments - 1) this.go(0);
      this.timer = setInterval(() => {
        if (this.moment < moments - 1) this.go(this.moment + 1);
        if (this.moment === moments - 1) this.play();
      }, 1200);
    }
    this.playButton.textContent = playing ? '▶ Play' : '❚❚ Pause';
  }

  onKey(event) {
    const own = 'input, select, [role=application], [role=gridcell]';
    if (hasModifier(event) || event.target.matches?.(own)) return;
    const isButton = event.target.matches?.('button, summary, a');
    const actions = {
      ArrowRight: () => this.go(this.moment + 1),
      ArrowLeft: () => this.go(this.moment - 1),
      Home: () => this.go(0),
      End: () => this.go(moments - 1),
      p: () => isPuzzle || this.predictBox.click(),
    };
    if (!isButton) actions[' '] = () => this.play();
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  get address() {
    const at = `${this.isForward ? 'f' : 'b'}${this.present}`;
    const { step, index } = this.element;
    return `at=${at}&see=${this.step}&of=${step}&element=${index}&state=${this.state}`;
  }

  // Writes the selection to the address, but not too often, since browsers limit changes.
  remember() {
    const write = () => history.replaceState(null, '', `#${this.address}`);
    clearTimeout(this.writing);
    if (performance.now() - (this.written ?? -1000) > 200) write();
    else this.writing = setTimeout(write, 200);
    this.written = performance.now();
  }

  // Selects the moment, step and element in the address, and ignores invalid values.
  readAddress() {
    const parameters = new URLSearchParams(location.hash.slice(1));
    const number = name => (/^\d+$/.test(parameters.get(name)) ? Number(parameters.get(name)) : -1);
    const [, phase, op] = /^([fb])(\d+)$/.exec(parameters.get('at')) ?? [];
    const place = ops.indexOf(Number(op));
    if (place >= 0) this.moment = phase === 'f' ? place : moments - 1 - place;
    if (number('state') in states) this.state = number('state');
    const step = number('see') in steps ? number('see') : this.present;
    const of = number('of') in steps ? number('of') : step;
    this.see(step);
    const index = number('element');
    if (index >= 0 && index < sizeOf(of)) this.pick(of, index);
  }

  // ---- elements of the page

  make() {
    document.querySelector('h1').textContent = data.title;
    document.body.classList.toggle('with-tangents', hasTangents);
    this.about = element('p', undefined, 'soft about');
    this.panel = attributed(element('section', undefined, 'panel'), { 'aria-label': 'Step' });
    this.handout = element('section', undefined, 'handout');
    const both = element('div', undefined, 'sides');
    both.append(this.list.root, this.panel);
    const hint =
      `Keys: ← → one step, Home and End, space plays${isPuzzle ? '' : ', P predicts'}. ` +
      'In a map focused with the tab key, arrows move between elements.';
    const main = document.querySelector('main');
    main.append(this.about);
    if (data.note) main.append(element('p', data.note, 'note'));
    main.append(this.makePlayer(), this.makeChoices(), both);
    main.append(element('p', hint, 'soft hint'), this.handout);
  }

  makePlayer() {
    const bar = element('div', undefined, 'player');
    attributed(bar, { role: 'group', 'aria-label': 'Time' });
    const named = (text, name, action) => attributed(button(text, action), { 'aria-label': name });
    this.playButton = button('▶ Play', () => this.play());
    this.range = attributed(element('input'), {
      id: 'moment',
      type: 'range',
      min: 0,
      max: moments - 1,
      'aria-label': 'Moment',
    });
    this.range.addEventListener('input', () => this.go(Number(this.range.value)));
    this.now = attributed(element('output'), { id: 'now', 'aria-live': 'polite' });
    bar.append(
      named('|◀', 'go to the start', () => this.go(0)),
      named('◀', 'one step back', () => this.go(this.moment - 1)),
      this.playButton,
      named('▶', 'one step forward', () => this.go(this.moment + 1)),
      named('▶|', 'go to the end', () => this.go(moments - 1)),
      this.range,
      this.now,
    );
    return bar;
  }

  makeChoices() {
    const box = element('div', undefined, 'choose');
    this.predictBox = attributed(element('input'), { id: 'predict', type: 'checkbox' });
    this.predictBox.addEventListener('change', () => {
      this.predict = this.predictBox.checked;
      this.answered.clear();
      this.right = 0;
      this.show();
    });
    this.score = attributed(element('output'), { id: 'score' });
    const predict = labelled('Predict, then reveal', this.predictBox);
    predict.prepend(this.predictBox);
    if (!isPuzzle) box.append(predict, this.score);
    if (states.length > 1) {
      this.training = attributed(element('input'), {
        id: 'training',
        type: 'range',
        min: 0,
        max: states.length - 1,
      });
      this.training.addEventListener('input', () => {
        this.state = Number(this.training.value);
        this.show();
        this.remember();
      });
      this.stateName = attributed(element('output'), { id: 'state' });
      box.append(labelled('Training', this.training), this.stateName);
    }
    return box;
  }

  show() {
    const { name, about } = this.numbers;
    this.about.textContent = about;
    this.about.hidden = !about;
    const place = this.isForward ? this.moment + 1 : moments - this.moment;
    const phase = this.isForward ? 'forward' : 'backward';
    this.now.textContent = `${phase} ${place} of ${ops.length}: ${steps[this.present].name}`;
    this.range.value = this.moment;
    this.range.setAttribute('aria-valuetext', this.now.textContent);
    if (this.training) {
      this.training.value = this.state;
      this.stateName.textContent = name;
      this.training.setAttribute('aria-valuetext', name);
    }
    document.body.dataset.phase = phase;
    this.list.update(this);
    this.showPanel();
  }

  showPanel() {
    const { step } = this;
    const { op, module, formula, rule, note, parameter } = steps[step];
    this.maps = [];
    const head = element('header');
    const given = parameter ? 'parameter' : 'given';
    const kind = isOp(step) ? document.body.dataset.phase : given;
    head.append(element('h2', `${step} ${shortName(step)}`), element('span', kind, `chip ${kind}`));
    if (module) head.append(element('span', module, 'soft'));
    this.panel.replaceChildren(head);
    if (formula) {
      const lines = element('dl', undefined, 'rules');
      const line = (name, text, phase) => {
        const isNow = this.isForward === phase;
        lines.append(element('dt', name), element('dd', text, isNow ? 'now' : ''));
      };
      line(op, formula, true);
      if (rule) line('backward', rule, false);
      this.panel.append(lines);
    }
    if (note) this.panel.append(element('p', note, 'note'));
    const flow = element('div', undefined, 'flow');
    steps[step].inputs.forEach((from, input) => {
      if (from >= 0) flow.append(inputCard(this, from, input));
    });
    const arrow = element('div', this.isForward ? '→' : '←', 'arrow');
    if (flow.children.length > 0) flow.append(attributed(arrow, { 'aria-hidden': true }));
    flow.append(resultCard(this, step));
    // Coloured maps shrink to fit in one row; tables of numbers don't.
    const hasNumbers = this.maps.some(({ map }) => map.isTable);
    flow.classList.toggle('shrinking', flow.children.length <= 6 && !hasNumbers);
    this.panel.append(flow);
    if (this.predict) this.panel.append(new Prediction(this).root);
    this.panel.append(this.elementView.root);
    this.below = element('div');
    this.panel.append(this.below);
    this.showElement();
  }

  showElement() {
    this.elementView.show(this);
    const isOpen = name => this.below.querySelector(`details.${name}`)?.open;
    const parts = [];
    const lines = data.lines[steps[this.step].op];
    if (lines) {
      const code = element('details', undefined, 'code');
      const text = element('pre');
      text.append(element('code', lines));
      code.append(element('summary', `C++ source of ${steps[this.step].op}`), text);
      code.open = isOpen('code') ?? this.codeOpen ?? true;
      code.addEventListener('toggle', () => (this.codeOpen = code.open));
      parts.push(code);
    }
    parts.unshift(...jacobians(this));
    this.below.replaceChildren(...parts);
  }
}

const page = new Page();
page.readAddress();
