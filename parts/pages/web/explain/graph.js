// Draws a scope of a trace: a node for each unit, a curve for each edge, and labels on the edges.
// The nodes are a list in the order of computation; curves and labels are hidden from screen
// readers, since the explainer's caption says what flows.
const movesLittle = matchMedia('(prefers-reduced-motion: reduce)');
const flowTime = 700; // duration of the animation along an edge in milliseconds
const margin = 5; // around the graph, for the marks of nodes
const narrow = 640; // below this width, the graph is drawn from top to bottom

// Returns a point on a curve that is not under another label, if there is one, and notes it.
function freePoint(pointAt, taken) {
  const isFree = ([x, y]) => taken.every(([a, b]) => Math.abs(a - x) > 44 || Math.abs(b - y) > 17);
  const points = [0.5, 0.35, 0.65, 0.2, 0.8].map(pointAt);
  const point = points.find(isFree) ?? points[0];
  taken.push(point);
  return point;
}

class GraphView {
  // `actions`: see NodeView; `given` has the texts of the variables' values by name.
  constructor(actions) {
    this.actions = actions;
    this.curves = drawn('svg', { 'aria-hidden': true });
    this.list = make('ol.nodes', { 'aria-label': t('nodes') });
    this.labels = make('div.edges');
    const group = { role: 'group', 'aria-label': t('graph') };
    this.root = make('div.graph', group, this.curves, this.list, this.labels);
    new ResizeObserver(() => this.arrange()).observe(this.root);
  }

  // Draws another scope, with new nodes.
  draw(scope, given) {
    Object.assign(this, { scope, trace: scope.trace, given });
    this.names = this.uniqueNames();
    this.nodes = new Map(scope.units.map(unit => [unit.id, new NodeView(this, unit)]));
    this.list.replaceChildren(...[...this.nodes.values()].map(({ root }) => root));
    this.edges = scope.edges.map(edge => this.makeEdge(edge));
    this.curves.replaceChildren(...this.edges.flatMap(({ path, back }) => [path, back]));
    this.labels.replaceChildren(...this.edges.map(({ label }) => label));
    this.dot = drawn('circle', { r: 6, class: 'dot', visibility: 'hidden' });
    this.curves.append(this.dot);
    this.arranged = '';
    this.present = null;
  }

  // Replaces the numbers of the same graph.
  renew(scope, given) {
    Object.assign(this, { scope, trace: scope.trace, given });
    for (const unit of scope.units) this.nodes.get(unit.id).unit = unit;
    this.edges.forEach((view, i) => (view.edge = scope.edges[i]));
  }

  makeEdge(edge) {
    const path = drawn('path', { class: 'curve' });
    const back = drawn('path', { class: 'curve back' });
    return { edge, path, back, label: make('div.edge') };
  }

  // Names units, with the number of the step if names repeat: `multiply 4`.
  uniqueNames() {
    const names = new Map();
    const count = new Map();
    for (const unit of this.scope.units) {
      const name = unit.name ?? this.stepName(unit.step);
      names.set(unit.id, name);
      if (!unit.isOutside) count.set(name, (count.get(name) ?? 0) + 1);
    }
    return { names, count };
  }
  stepName(step) {
    const { op } = this.trace.steps[step];
    const role = this.trace.roles.get(step);
    if (role) return t(`role.${role}`) ?? role;
    if (this.trace.isNumber(step)) return numberText(this.trace.states[0].value(step)[0]);
    return op && !this.trace.steps[step].module ? opWord(op) : this.trace.shortName(step);
  }
  nameOf(unit) {
    return this.names.names.get(unit.id);
  }
  // Returns a step's name in a sentence.
  said(step) {
    const unit = this.scope.unitOf.get(step);
    const name = unit?.name ?? this.stepName(step);
    const isOp = this.trace.isOp(step) && !unit?.isBox;
    return isOp && this.names.count.get(name) > 1 ? `${name} ${step}` : name;
  }

  // ---- positions

  get isVertical() {
    return this.root.clientWidth < narrow;
  }

  arrange() {
    const space = this.root.clientWidth - 2 * margin;
    if (!this.nodes || space <= 0) return;
    const nodes = [...this.nodes].map(([id, { root }]) => ({
      id,
      width: root.offsetWidth,
      height: root.offsetHeight,
    }));
    const arranged = JSON.stringify([space, nodes]);
    if (arranged === this.arranged) return;
    this.arranged = arranged;
    const edges = this.scope.edges.map(({ from, to }) => ({ from, to }));
    this.layout = this.fitting(nodes, edges, space);
    const { layout } = this;
    for (const [id, { root }] of this.nodes) {
      const [left, top] = layout.cornerOf(id);
      Object.assign(root.style, { left: `${left + margin}px`, top: `${top + margin}px` });
    }
    this.boxes = nodes.map(({ id, width, height }) => {
      const [left, top] = layout.cornerOf(id);
      return { left, top, right: left + width, bottom: top + height };
    });
    const curves = edges.map(edge => layout.curveOf(edge));
    const taken = [];
    // Labels of long curves have more free places, so they are placed last.
    for (const i of [...edges.keys()].sort((a, b) => curves[a].span - curves[b].span)) {
      const { path, back, label } = this.edges[i];
      for (const each of [path, back]) each.setAttribute('d', curves[i].path);
      this.edges[i].middle = freePoint(curves[i].pointAt, taken);
      this.place(label, this.edges[i].middle);
    }
    attributed(this.curves, { width: layout.width, height: layout.height });
    this.root.style.height = `${layout.height + 2 * margin}px`;
    this.root.classList.toggle('vertical', layout.isVertical);
    this.placePresent();
  }

  place(label, [x, y]) {
    Object.assign(label.style, { left: `${x + margin}px`, top: `${y + margin}px` });
  }

  // Moves the large label of the present edge up or down to a place without nodes, and hides the
  // labels below it.
  placePresent() {
    if (!this.present?.middle || this.present.label.hidden) return;
    const { label, middle: [x, y] } = this.present;
    const [width, height] = [label.offsetWidth / 2 + 2, label.offsetHeight / 2 + 2];
    const at = Math.max(width, Math.min(x, this.layout.width - width));
    const isFree = down =>
      y + down >= height &&
      this.boxes.every(
        box =>
          box.right < at - width ||
          box.left > at + width ||
          box.bottom < y + down - height ||
          box.top > y + down + height,
      );
    const moves = Array.from({ length: 40 }, (_, i) => (i % 2 ? -4 : 4) * i);
    const top = y + (moves.find(isFree) ?? 0);
    this.place(label, [at, top]);
    const isCovered = ([a, b]) => Math.abs(a - at) < width + 24 && Math.abs(b - top) < height + 9;
    for (const { label: other, middle } of this.edges)
      other.classList.toggle('covered', other !== label && isCovered(middle));
  }

  // Draws from left to right if that fits, or else from top to bottom.
  fitting(nodes, edges, space) {
    const copy = () => edges.map(edge => Object.assign(edge, { through: [] }));
    for (const between of this.isVertical ? [] : [150, 112, 84]) {
      const layout = new Layout(nodes, copy(), { space, isVertical: false, between });
      if (layout.width <= space) return layout;
    }
    return new Layout(nodes, copy(), { space, isVertical: true, between: this.betweenRows });
  }

  // Edges of scalars have longer labels than shapes.
  get betweenRows() {
    return this.scope.edges.some(({ source }) => this.trace.isScalar(source)) ? 62 : 50;
  }

  // ---- numbers

  update(explainer) {
    for (const view of this.nodes.values()) {
      view.update(explainer);
      const isSeen = view.step === explainer.step && !view.unit.isBox && !view.unit.isOutside;
      view.root.classList.toggle('seen', isSeen);
      view.root.classList.toggle('present', view.unit === explainer.present);
      attributed(view.head, { 'aria-current': view.unit === explainer.present ? 'step' : null });
    }
    for (const view of this.edges) this.updateEdge(view, explainer);
    this.arrange();
    this.present = this.edges.find(({ edge }) => edge === explainer.now.edge);
    this.placePresent();
  }

  updateEdge({ edge, path, back, label, middle }, explainer) {
    const state = explainer.edgeState(edge);
    const isNow = explainer.now.edge === edge;
    const isUsed = explainer.now.phase === 'forward' && explainer.now.unit?.id === edge.to;
    path.setAttribute('class', `curve${isUsed ? ' used' : ''}`);
    back.setAttribute('class', `curve back ${isNow ? 'now' : state === 'shown' ? 'done' : 'off'}`);
    label.className = `edge${isNow ? ' now' : ''}`;
    const content = isNow ? explainer.edgeContent(edge) : this.restText(edge, state, explainer);
    label.replaceChildren(...(content ? [content] : []));
    label.hidden = !content;
    if (middle) this.place(label, middle);
  }

  // Returns what an edge shows at rest: the shape of a tensor, or the gradient that flowed.
  restText(edge, state, explainer) {
    const { trace } = this;
    if (!trace.isScalar(edge.source)) {
      const { shape } = trace.steps[edge.source];
      const isNew = shape.some(length => length > 1);
      const sizes = shape.filter((_, i) => i > 0 || shape[0] > 1);
      return isNew ? make('span.shape', sizes.join('×')) : null;
    }
    if (state !== 'shown') return null;
    return make('span.flowed', numberText(explainer.sentAlong(edge)[0]));
  }

  // Scrolls to a label that is outside the window or below the caption.
  reveal(label) {
    const { top, bottom } = label.getBoundingClientRect();
    if (top > 260 && bottom < innerHeight - 60) return;
    const behavior = movesLittle.matches ? 'auto' : 'smooth';
    window.scrollBy({ top: (top + bottom - innerHeight) / 2 - 80, behavior });
  }

  // Moves a dot along an edge, backward, or along all edges into a node, forward.
  animate(explainer) {
    cancelAnimationFrame(this.frame);
    this.dot.setAttribute('visibility', 'hidden');
    const view = this.edges.find(({ edge }) => edge === explainer.now.edge);
    if (!view) return;
    this.reveal(view.label);
    if (movesLittle.matches) return;
    const length = view.path.getTotalLength();
    const begin = performance.now();
    const move = now => {
      const part = Math.min(1, (now - begin) / flowTime);
      const { x, y } = view.path.getPointAtLength(length * (1 - part));
      attributed(this.dot, { cx: x, cy: y, visibility: part < 1 ? 'visible' : 'hidden' });
      if (part < 1) this.frame = requestAnimationFrame(move);
    };
    this.frame = requestAnimationFrame(move);
  }
}
