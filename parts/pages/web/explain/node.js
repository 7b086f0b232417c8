// A node of the graph: an op, a variable, or a closed box of steps. It shows the name, the value
// and the gradient; the value of a variable can be changed.

const symbols = { add: '+', sub: '−', mul: '×', div: '÷', pow: '^', neg: '−', matmul: '@' };
const smallSide = 4; // most rows and columns of a node's table

// Returns the largest value of a slider: 5, or the next power of ten.
const boundOf = value => (Math.abs(value) <= 5 ? 5 : 10 ** Math.ceil(Math.log10(Math.abs(value))));

// A small view of a tensor: a table of numbers, or colours without numbers if it is larger.
class Miniature {
  constructor(shape, className) {
    this.grid = gridOf(shape);
    const { rows, columns, blocks } = this.grid;
    this.isTable = rows * blocks <= smallSide && columns <= smallSide;
    this.root = make(`${this.isTable ? 'div' : 'canvas'}.mini.${className}`);
    if (!this.isTable) {
      this.makeMap();
      return;
    }
    this.root.style.setProperty('--columns', columns);
    this.cells = Array.from({ length: rows * blocks * columns }, () => make('span'));
    this.root.append(...this.cells);
  }

  makeMap() {
    this.sizes = sizesOf(this.grid, 40);
    const [, width, height] = this.sizes;
    const scale = Math.max(1, Math.min(10, 110 / width, 90 / height));
    const size = side => `${Math.min(130, Math.max(8, Math.round(side * scale)))}px`;
    Object.assign(this.root.style, { width: size(width), height: size(height) });
  }

  // Shows numbers; null means that they aren't known, and `text` is shown for each.
  show(numbers, text = '·') {
    if (numbers === this.numbers && text === this.text) return undefined;
    Object.assign(this, { numbers, text });
    if (!this.isTable) {
      const [across, ...size] = this.sizes;
      return paintNumbers(this.root, size, numbers ?? [], i => placeIn(this.grid, across, i));
    }
    const most = numbers ? mostOf(numbers) : 0;
    return this.cells.forEach((cell, i) => {
      cell.textContent = numbers ? numberText(numbers[i], 3) : text;
      cell.style.background = numbers ? shadeOf(numbers[i], most) : '';
    });
  }
}

class NodeView {
  // `actions` are pick(unit), open(unit), and moved(name, i, text), if variables can be changed.
  constructor(graph, unit) {
    Object.assign(this, { graph, unit });
    this.head = button('', () => graph.actions.pick(this.unit), { class: 'head' });
    this.root = make('li.node', this.head);
    if (unit.isBox) this.makeBox();
    else if (unit.isAfter) this.root.classList.add('outside');
    else if (!graph.trace.isNumber(unit.step)) this.makeStep();
    this.name();
  }

  get step() {
    return this.unit.step;
  }

  name() {
    const { trace } = this.graph;
    const { op, parameter } = trace.steps[this.unit.steps[0] ?? this.step];
    const title = this.graph.nameOf(this.unit);
    const symbol = !this.unit.isBox && symbols[op];
    const hasNumber = this.step !== undefined && trace.isOp(this.step) && !this.unit.isOutside;
    if (symbol) this.head.append(make('span.symbol', symbol));
    this.head.append(make('span.title', title));
    if (hasNumber) this.head.append(make('span.index', this.step));
    const kind = this.unit.isBox ? 'box' : trace.isOp(this.step) ? 'op' : parameter ? 'weight' : 'leaf';
    this.root.classList.add(kind);
    if (this.unit.isOutside) this.root.classList.add('outside');
    this.root.classList.toggle('constant', kind === 'leaf' && trace.isConstant(this.step));
  }

  makeBox() {
    const { trace } = this.graph;
    const ops = this.unit.steps.filter(step => trace.isOp(step)).length;
    const weights = this.unit.steps.filter(step => trace.steps[step].parameter);
    const numbers = weights.reduce((sum, step) => sum + trace.sizeOf(step), 0);
    this.root.append(make('span.soft', t('boxText', ops, numbers)));
    this.makeStep(this.unit.steps[this.unit.steps.length - 1]);
  }

  makeStep(step = this.step) {
    const { trace, given, actions } = this.graph;
    this.shown = step;
    this.rows = {};
    const { shape, name } = trace.steps[step];
    const numbers = given?.has(name) && !trace.isOp(step) ? numbersIn(given.get(name)) : null;
    const isFew = numbers?.length === trace.sizeOf(step) && numbers.length <= smallSide ** 2;
    const body = make('div.body');
    for (const what of this.whatOf(step)) {
      const row = make(`div.quantity.${what}`, make('span.label', t(what)));
      if (what === 'value' && isFew && actions.moved) row.append(this.makeSpins(numbers, step));
      else this.makeNumbers(row, what, shape);
      body.append(row);
      if (what === 'value' && this.slider) body.append(this.slider);
    }
    this.root.append(body);
  }

  // Returns what a node shows of a step.
  whatOf(step) {
    const { trace } = this.graph;
    const hasGradient = trace.states[0].hasGradient(step);
    return ['value', trace.hasTangents && 'tangent', hasGradient && 'gradient'].filter(Boolean);
  }

  makeNumbers(row, what, shape) {
    if (shape.length === 0) {
      const cell = make('span.scalar');
      row.append(cell);
      const show = (numbers, text) => (cell.textContent = numbers ? numberText(numbers[0]) : text);
      this.rows[what] = { show };
      return;
    }
    this.rows[what] = new Miniature(shape, what);
    row.append(this.rows[what].root);
  }

  makeSpins(numbers, step) {
    const { trace, actions } = this.graph;
    const { name, shape } = trace.steps[step];
    const isWhole = !trace.states[0].hasGradient(step); // ids, targets and masks are integers
    const spinOf = (_, i) =>
      new Spin(elementName(name, i, shape), isWhole, text => {
        if (this.slider) this.slider.value = text;
        actions.moved(name, i, text);
      });
    this.spins = numbers.map(spinOf);
    if (shape.length === 0 && !isWhole) this.slider = this.makeSlider(name, numbers[0].text);
    const style = `--columns: ${gridOf(shape).columns}`;
    return make('div.spins', { style }, this.spins.map(spin => spin.root));
  }

  makeSlider(name, text) {
    const bound = boundOf(Number(text));
    const move = ({ target }) => this.spins[0].set(numberText(Number(target.value)));
    return make('input', {
      ...{ type: 'range', min: -bound, max: bound, step: bound / 100 },
      'aria-label': t('sliderOf', name),
      oninput: move,
    });
  }

  // Shows what is known at the explainer's moment.
  update(explainer) {
    const { numbers } = explainer;
    const step = this.shown;
    const isStep = !this.unit.isBox && this.step !== undefined;
    const heard = [isStep ? this.graph.said(this.step) : this.graph.nameOf(this.unit)];
    if (this.spins) {
      const { name } = this.graph.trace.steps[step];
      numbersIn(this.graph.given.get(name)).forEach(({ text }, i) => this.spins[i].show(text));
      if (this.slider && document.activeElement !== this.slider) {
        const bound = boundOf(Number(this.spins[0].text));
        if (bound > Number(this.slider.max)) attributed(this.slider, { min: -bound, max: bound });
        this.slider.value = this.spins[0].text;
      }
      if (this.spins.length === 1) heard.push(`${t('value')} ${this.spins[0].text}`);
    }
    for (const what in this.rows) {
      const state = explainer.stateOf(what, step);
      const shown = state === 'shown' ? numbers[what](step) : null;
      const part = what === 'gradient' && state === 'not yet' ? explainer.partOf(step) : null;
      const text = part === null ? '·' : `${numberText(part)} + …`;
      this.rows[what].show(shown, state === 'hidden' ? '?' : text);
      heard.push(`${t(what)} ${this.heardText(shown, state)}`);
    }
    if (this.unit.isBox) heard.push(t('open', this.graph.nameOf(this.unit)));
    this.head.setAttribute('aria-label', heard.join(', '));
  }

  // Returns what a screen reader says about numbers: a number, the shape of a tensor, or their state.
  heardText(numbers, state) {
    if (!numbers) return t(state === 'hidden' ? 'hidden' : 'notYet');
    const { shape } = this.graph.trace.steps[this.shown];
    return shape.length === 0 ? numberText(numbers[0]) : sizesText(shape);
  }
}
