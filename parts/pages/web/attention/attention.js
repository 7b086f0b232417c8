// The viewer of attention maps: one head's weights, and all heads as thumbnails to choose from.
// Layers are [{ layer, name, module, queries, keys, extra, first, heads }]. `queries` and `keys`
// are the tokens on the axes, and `first` is the position of query 0. `extra` is the number of keys
// without a token, before the others. Heads are [{ head, rule, entropy, weights }]; `rule` is the
// name of the pattern that a head follows, or empty.

const attentionTexts = t('attention');

// Returns a head's weights as one row-major array. In a report they are 16-bit integers in base64,
// where 65534 is 1 and 65535 is NaN; on the page of `attention`, rows of numbers, null for NaN.
const unpacked = new WeakMap();
function weightsOf(head) {
  if (!unpacked.has(head)) {
    const { weights } = head;
    const isPacked = typeof weights === 'string';
    unpacked.set(head, isPacked ? unpackWeights(weights) : weights.flat().map(orNaN));
  }
  return unpacked.get(head);
}

const orNaN = weight => weight ?? NaN;

function unpackWeights(base64) {
  const bytes = atob(base64);
  return Array.from({ length: bytes.length / 2 }, (_, i) => {
    const number = bytes.charCodeAt(2 * i) + 256 * bytes.charCodeAt(2 * i + 1);
    return number === 65535 ? NaN : number / 65534;
  });
}

function weightText(weight) {
  if (Number.isNaN(weight)) return attentionTexts.notANumber;
  return weight === 0 || weight >= 0.0001 ? weight.toFixed(4) : weight.toExponential(1);
}

const entropyText = head => attentionTexts.entropy(head.entropy);

// Draws one pixel for each weight, in the page's text colour. The opacity is the square root of the
// weight, so that small weights are visible. NaN is red.
function paintWeights(canvas, weights, columns) {
  const ink = colourNamed('--ink');
  const colourOf = weight =>
    Number.isNaN(weight) ? [224, 49, 49, 255] : [...ink, Math.round(255 * Math.sqrt(weight))];
  paint(canvas, columns, weights.length / columns, set =>
    weights.forEach((weight, i) => set(i, colourOf(weight))),
  );
}

class AttentionViewer {
  // `heading` is the tag of headings. `keysFrom` is the element whose arrow keys select heads, by
  // default the viewer. `chosen` is called whenever the selection changes.
  constructor({ heading = 'h3', keysFrom, chosen = () => {} } = {}) {
    this.heading = heading;
    this.chosen = chosen;
    this.layerIndex = 0;
    this.headIndex = 0;
    this.cell = null; // the selected weight: { query, key }
    this.overview = make('div', {
      id: 'overview',
      role: 'group',
      'aria-label': attentionTexts.allHeads,
    });
    this.overlay = new ImageOverlay();
    const chosenHead = make('div', this.makeFigure(), this.overlay.root);
    const viewer = make('div.viewer', chosenHead, this.overview);
    this.root = make('div', { lang: language }, this.makeChoices(), viewer);
    (keysFrom ?? this.root).addEventListener('keydown', event => this.onKey(event));
    window.addEventListener('resize', () => this.layers && this.layOut());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      if (!this.layers) return;
      this.draw();
      this.drawOverview();
    });
  }

  get layer() {
    return this.layers[this.layerIndex];
  }

  get head() {
    return this.layer.heads[this.headIndex];
  }

  makeChoices() {
    this.layerSelect = make('select', {
      id: 'layer',
      onchange: () => this.choose({ layerIndex: this.layerSelect.selectedIndex, headIndex: 0 }),
    });
    this.headSelect = make('select', {
      id: 'head',
      onchange: () => this.choose({ headIndex: this.headSelect.selectedIndex }),
    });
    this.choices = make(
      'div.choose.controls',
      labelled(attentionTexts.layer, this.layerSelect),
      labelled(attentionTexts.head, this.headSelect),
      make('p.soft', attentionTexts.keys),
    );
    return this.choices;
  }

  makeFigure() {
    this.title = make(this.heading, { id: 'title' });
    this.rule = make('span', { id: 'rule' });
    this.entropy = make('span');
    this.module = make('span.soft');
    this.value = make('p', { id: 'value', role: 'status' });
    this.canvas = make('canvas', {
      id: 'cells',
      onpointermove: event => this.point(this.cellUnder(event)),
      onpointerleave: () => this.point(this.cell),
      onclick: event => this.choose({ cell: this.cellUnder(event) }),
    });
    this.cursor = make('div.cursor');
    const axis = id => make(`div.${id}`, { id, 'aria-hidden': true });
    this.keys = axis('keys');
    this.queries = axis('queries');
    this.map = make(
      'div.weights',
      { id: 'map', tabindex: 0, role: 'application', 'aria-describedby': 'value' },
      this.keys,
      this.queries,
      make('div.cells', this.canvas, this.cursor),
    );
    this.near = new Magnifier(
      (query, key) => this.nearCell(query, key),
      (query, key) => this.choose({ cell: { query, key } }),
    );
    const ticks = make('div', ['0', '0.25', '1'].map(weight => make('span', weight)));
    return make(
      'figure',
      make('figcaption', this.title, this.rule, this.entropy, this.module),
      make('p.soft', attentionTexts.legend),
      this.value,
      make('div.scroll', this.map),
      this.near.root,
      make('div.soft.scale', { 'aria-hidden': true }, attentionTexts.weight, ticks),
    );
  }

  // Shows these layers and the example's image, if it has one. Keeps the selection if possible.
  show(layers, image) {
    const keys = this.layers && this.layer.keys;
    this.image = image;
    this.layers = layers;
    this.layerIndex = clamp(this.layerIndex, 0, layers.length - 1);
    this.headIndex = clamp(this.headIndex, 0, this.layer.heads.length - 1);
    if (this.layer.keys !== keys) this.cell = null;
    const names = layers.map(each => attentionTexts.layerName(each.name));
    setOptions(this.layerSelect, names, layers.map(each => each.layer));
    this.makeOverview();
    this.draw();
    this.drawOverview();
  }

  // Changes one or more of { layerIndex, headIndex, cell }. Another layer has other axes, so
  // changing the layer clears the selected weight.
  choose(change) {
    const before = this.layer;
    Object.assign(this, change);
    this.headIndex = clamp(this.headIndex, 0, this.layer.heads.length - 1);
    if (this.layer !== before) this.cell = null;
    if ('cell' in change) this.point(this.cell);
    else this.draw();
    this.chosen();
  }

  // The selection as part of an address: layer=0&head=1, with a weight also &query=9&key=3.
  get address() {
    const weight = this.cell ? `&query=${this.cell.query}&key=${this.cell.key}` : '';
    return `layer=${this.layer.layer}&head=${this.head.head}${weight}`;
  }

  // Selects the layer, head and weight in the address. Invalid values select the first one.
  readAddress(parameters) {
    const number = name =>
      /^\d+$/.test(parameters.get(name)) ? Number(parameters.get(name)) : -1;
    const find = (list, isAsked) => Math.max(list.findIndex(isAsked), 0);
    this.layerIndex = find(this.layers, each => each.layer === number('layer'));
    this.headIndex = find(this.layer.heads, each => each.head === number('head'));
    const cell = { query: number('query'), key: number('key') };
    const { queries, keys } = this.layer;
    this.cell = cell.query in queries && cell.key in keys ? cell : null;
    this.draw();
  }

  draw() {
    const { layer, head } = this;
    const layerText = attentionTexts.layerName(layer.name);
    const name = `${layerText} ${attentionTexts.headName(head.head)}`;
    this.title.textContent = name;
    this.rule.textContent = head.rule;
    this.entropy.textContent = entropyText(head);
    this.module.textContent = layer.module;
    this.layerSelect.value = layer.layer;
    const numbers = layer.heads.map(each => each.head);
    setOptions(this.headSelect, numbers, numbers).value = head.head;
    this.map.setAttribute('aria-label', attentionTexts.map(name));
    this.keys.replaceChildren(...layer.keys.map(token => make('span', token)));
    this.queries.replaceChildren(...layer.queries.map(token => make('span', token)));
    paintWeights(this.canvas, weightsOf(head), layer.keys.length);
    this.layOut();
    this.point(this.cell);
    const heads = this.layers.flatMap(each => each.heads);
    this.overview.querySelectorAll('button').forEach((each, i) => {
      each.setAttribute('aria-pressed', heads[i] === head);
    });
  }

  // Fits the cells to the window. If they would be too small to tap, the map scrolls instead.
  layOut() {
    const { queries, keys } = this.layer;
    const longest = tokens => Math.max(...tokens.map(token => [...token].length));
    const beside = Math.min(longest(queries), 8) * 8;
    const width = this.map.parentElement.clientWidth - 24 - beside;
    const height = Math.min(innerHeight, 1000) - 300; // a frame may be higher than the window
    const least = Math.max(keys.length, queries.length) <= 200 ? 13 : 2; // 13: readable labels
    const widest = hasFingers.matches ? 44 : 28;
    const fitting = Math.floor(Math.min(widest, width / keys.length, height / queries.length));
    const size = Math.max(least, fitting);
    const font = Math.min(14, Math.round(size * 0.85));
    this.map.style.setProperty('--cell', `${size}px`);
    this.map.style.setProperty('--font', `${font}px`);
    this.map.style.setProperty('--columns', keys.length);
    this.map.style.setProperty('--rows', queries.length);
    this.map.classList.toggle('upright', longest(keys) * font * 0.62 > size);
    this.map.classList.toggle('dense', size < 8);
  }

  // Makes a button for each head. Reuses the buttons if their number is unchanged, which keeps the
  // focus.
  makeOverview() {
    const shape = this.layers.map(({ name, heads }) => `${name} ${heads.length}`).join();
    if (shape === this.shape) return;
    this.shape = shape;
    this.overview.replaceChildren(
      ...this.layers.map(({ layer, name, heads }, layerIndex) => {
        const buttons = heads.map(({ head }, headIndex) =>
          make(
            'button',
            { type: 'button', 'data-layer': layer, 'data-head': head },
            { onclick: () => this.choose({ layerIndex, headIndex }) },
            make('canvas', { 'aria-hidden': true }),
            make('b', attentionTexts.headName(head)),
            make('span.soft'),
            make('span.soft'),
          ),
        );
        const title = make(this.heading, attentionTexts.layerName(name));
        return make('div.layer', title, make('div.heads', buttons));
      }),
    );
  }

  drawOverview() {
    const buttons = [...this.overview.querySelectorAll('button')];
    for (const { heads, keys } of this.layers)
      for (const head of heads) {
        const [canvas, , rule, entropy] = buttons.shift().children;
        paintWeights(canvas, weightsOf(head), keys.length);
        rule.textContent = head.rule;
        entropy.textContent = entropyText(head);
      }
  }

  // Selects a weight, { query, key } or null, and shows its value and its two tokens.
  point(cell) {
    for (const token of this.map.querySelectorAll('.seen')) token.classList.remove('seen');
    this.cursor.hidden = !cell;
    this.overlay.show(this.image, this.layer, weightsOf(this.head), cell?.query);
    if (!cell) {
      this.near.hide();
      this.value.replaceChildren(make('span.soft', attentionTexts.hint));
      return;
    }
    const { queries, keys, first, extra } = this.layer;
    if (cell === this.cell) this.near.show(cell.query, cell.key, queries.length, keys.length);
    this.cursor.style.left = `calc(var(--cell) * ${cell.key})`;
    this.cursor.style.top = `calc(var(--cell) * ${cell.query})`;
    this.keys.children[cell.key].classList.add('seen');
    this.queries.children[cell.query].classList.add('seen');
    const named = (token, position) => [make('b', token), attentionTexts.position(position)];
    const weight = weightsOf(this.head)[cell.query * keys.length + cell.key];
    this.value.replaceChildren(
      ...named(queries[cell.query], cell.query + first),
      attentionTexts.attends,
      ...named(keys[cell.key], cell.key - extra),
      attentionTexts.with,
      make('strong', weightText(weight)),
    );
  }

  // Returns what the magnifier shows of a weight.
  nearCell(query, key) {
    const { queries, keys } = this.layer;
    const weight = weightsOf(this.head)[query * keys.length + key];
    return {
      name: queries[query] + attentionTexts.attends + keys[key],
      text: Number.isNaN(weight) ? attentionTexts.notANumber : weight.toFixed(2),
      background: `rgb(var(--ink) / ${(0.45 * Math.sqrt(weight || 0)).toFixed(2)})`,
    };
  }

  cellUnder(event) {
    const { queries, keys } = this.layer;
    const [key, query] = cellUnder(event, this.canvas, keys.length, queries.length);
    return { query, key };
  }

  // Arrow keys select a weight if the map has the focus, otherwise a head or a layer.
  onKey(event) {
    const step = arrowSteps[event.key];
    const { target } = event;
    if (!step || hasModifier(event) || ['SELECT', 'INPUT'].includes(target.tagName)) return;
    const [down, right] = step;
    if (target === this.map) {
      this.moveCell(down, right);
    } else if (right) {
      this.choose({ headIndex: Math.max(this.headIndex + right, 0) });
    } else if (this.layers.length > 1) {
      this.choose({ layerIndex: clamp(this.layerIndex + down, 0, this.layers.length - 1) });
    } else {
      return; // lets the page scroll
    }
    event.preventDefault();
    if (this.overview.contains(target)) this.overview.querySelector('[aria-pressed=true]').focus();
  }

  moveCell(down, right) {
    const { queries, keys } = this.layer;
    const from = this.cell ?? { query: -down, key: -right };
    const query = clamp(from.query + down, 0, queries.length - 1);
    const key = clamp(from.key + right, 0, keys.length - 1);
    this.choose({ cell: { query, key } });
    this.cursor.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
}
