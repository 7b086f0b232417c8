// Shows a tensor as numbers and colours: blue above zero, orange below; the intensity is the square
// root of |x| / max |x|. Infinities are grey, NaN is red. Small tensors are tables of coloured
// numbers. Larger tensors have a coloured square for each element, and a folded table of numbers.

// Returns { rows, columns, blocks } for a shape: the last two axes longer than 1 are rows and
// columns, and all others form blocks. A long vector is split into equal rows.
function gridOf(shape) {
  const long = shape.filter(length => length > 1);
  let columns = long[long.length - 1] ?? 1;
  let rows = long[long.length - 2] ?? 1;
  if (long.length === 1 && columns > 48)
    for (let part = 48; part >= 8 && rows === 1; --part)
      if (columns % part === 0) [rows, columns] = [columns / part, part];
  const blocks = shape.reduce((size, length) => size * length, 1) / (rows * columns);
  return { rows, columns, blocks };
}

function colourOf(number, most) {
  if (Number.isNaN(number)) return { colour: '--bad', strength: 1 };
  if (!Number.isFinite(number)) return { colour: '--endless', strength: 1 };
  const strength = most > 0 ? Math.min(1, Math.sqrt(Math.abs(number) / most)) : 0;
  return { colour: number < 0 ? '--minus' : '--plus', strength: strength || 0 };
}

function mostOf(numbers) {
  return numbers.reduce((most, n) => (Number.isFinite(n) ? Math.max(most, Math.abs(n)) : most), 0);
}

// Returns how many blocks are next to each other in a map at most `most` elements wide, and the
// map's width and height.
function sizesOf({ rows, columns, blocks }, most) {
  const across = Math.min(blocks, Math.max(1, Math.floor(most / (columns + 1))));
  return [across, across * (columns + 1) - 1, Math.ceil(blocks / across) * (rows + 1) - 1];
}

// Returns the position [x, y] of an element in a map with `across` blocks next to each other.
function placeIn({ rows, columns }, across, place) {
  const block = Math.floor(place / (rows * columns));
  return [
    (block % across) * (columns + 1) + (place % columns),
    Math.floor(block / across) * (rows + 1) + (Math.floor(place / columns) % rows),
  ];
}

// Returns the CSS colour behind a number in a table.
function shadeOf(number, most) {
  const { colour, strength } = colourOf(number, most);
  return `rgb(var(${colour}) / ${(strength * 0.45).toFixed(2)})`;
}

// Paints numbers on a canvas, one pixel each; placeOf(i) returns [x, y].
function paintNumbers(canvas, [width, height], numbers, placeOf) {
  const most = mostOf(numbers);
  const rgb = {};
  paint(canvas, width, height, set =>
    numbers.forEach((number, i) => {
      const { colour, strength } = colourOf(number, most);
      const [x, y] = placeOf(i);
      rgb[colour] ??= colourNamed(colour);
      set(y * width + x, [...rgb[colour], Math.round(255 * strength)]);
    }),
  );
}

// Returns a table with a row for each row of a tensor; cellOf(i) returns the contents of a cell.
function numberTable(shape, cellOf, attributes) {
  const { rows, columns, blocks } = gridOf(shape);
  const rowOf = row =>
    make(
      row > 0 && row % rows === 0 ? 'tr.block' : 'tr',
      Array.from({ length: columns }, (_, column) => make('td', cellOf(row * columns + column))),
    );
  const lines = Array.from({ length: rows * blocks }, (_, row) => rowOf(row));
  return make('table.numbers', attributes, lines);
}

// A view of a tensor. `name` is for screen readers; pick(i) is called when the reader selects
// element i; nameOf(i) returns the element's name.
class TensorMap {
  constructor({ name, shape, numbers, chosen = -1, pick, nameOf }) {
    Object.assign(this, { name, shape, numbers, chosen, pick, nameOf });
    this.grid = gridOf(shape);
    this.most = mostOf(numbers);
    const { rows, columns, blocks } = this.grid;
    this.isTable = rows * blocks <= 8 && columns <= (hasFingers.matches ? 5 : 8);
    this.reading = make('p.reading', { 'aria-live': 'polite' });
    const parts = this.isTable
      ? [this.makeGrid()]
      : [this.makeMap(), this.reading, this.makeNear(), this.makeNumbers()];
    this.root = make('div.tensor', parts);
    this.choose(chosen);
  }

  // Returns a table of coloured numbers to select.
  makeGrid() {
    const cellOf = i => [
      { role: 'gridcell', tabindex: -1, 'data-element': i },
      { style: `background: ${shadeOf(this.numbers[i], this.most)}` },
      numberText(this.numbers[i]),
    ];
    const grid = numberTable(this.shape, cellOf, {
      role: 'grid',
      'aria-label': this.name,
      onclick: ({ target }) => target.dataset.element && this.take(Number(target.dataset.element)),
      ...this.listeners(),
    });
    this.cells = grid.querySelectorAll('td');
    return grid;
  }

  makeMap() {
    this.sizes = sizesOf(this.grid, 72);
    const [, wide, high] = this.sizes;
    const across = wide <= 20 ? 14 : wide <= 40 ? 7 : wide <= 80 ? 5 : 3;
    const cell = Math.min(across, Math.max(3, Math.floor(220 / high)));
    this.canvas = make('canvas');
    this.cursor = make('div.cursor');
    this.map = make(
      'div.map',
      { tabindex: 0, role: 'application', 'aria-label': t('mapKeys', this.name) },
      {
        style: `width: calc(${wide * cell}px * var(--zoom))`,
        onclick: event => this.take(this.under(event)),
        onpointermove: event => this.read(this.under(event)),
        onpointerleave: () => this.read(this.chosen),
        ...this.listeners(),
      },
      this.canvas,
      this.cursor,
    );
    paintNumbers(this.canvas, [wide, high], this.numbers, i => this.placeOf(i));
    return this.map;
  }

  // The selected number and its neighbours, to tap.
  makeNear() {
    const { columns } = this.grid;
    const cellAt = (row, column) => {
      const place = row * columns + column;
      const number = this.numbers[place];
      return {
        name: this.nameOf(place),
        text: numberText(number, 2),
        background: shadeOf(number, this.most),
      };
    };
    this.near = new Magnifier(cellAt, (row, column) => this.take(row * columns + column));
    return this.near.root;
  }

  // Returns a folded table of all numbers.
  makeNumbers() {
    const fill = () => {
      if (details.children.length > 1) return;
      const cellOf = i => numberText(this.numbers[i]);
      const numbers = numberTable(this.shape, cellOf, { 'aria-label': this.name });
      details.append(scrolling(numbers, this.name));
    };
    const details = make('details.all', make('summary', { onclick: fill }, t('numbers')));
    return details;
  }

  placeOf(place) {
    return placeIn(this.grid, this.sizes[0], place);
  }

  under(event) {
    const { rows, columns, blocks } = this.grid;
    const [across, wide, high] = this.sizes;
    const [x, y] = cellUnder(event, this.canvas, wide, high);
    const block = Math.floor(y / (rows + 1)) * across + Math.floor(x / (columns + 1));
    const column = Math.min(x % (columns + 1), columns - 1);
    const row = Math.min(y % (rows + 1), rows - 1);
    return (Math.min(block, blocks - 1) * rows + row) * columns + column;
  }

  // If the reader enters with the Tab key, arrow keys select elements; after a click, they still
  // select steps.
  listeners() {
    return {
      onkeydown: event => this.onKey(event),
      onmousedown: event => event.preventDefault(),
    };
  }

  // Arrow keys move the selection, from the last row of a block to the next block. Escape leaves.
  onKey(event) {
    if (event.key === 'Escape') document.activeElement.blur();
    const step = arrowSteps[event.key];
    if (!step || hasModifier(event)) return;
    event.preventDefault();
    event.stopPropagation();
    const { columns } = this.grid;
    const from = Math.max(this.chosen, 0);
    const column = clamp((from % columns) + step[1], 0, columns - 1);
    const row = clamp(Math.floor(from / columns) + step[0], 0, this.numbers.length / columns - 1);
    this.take(row * columns + column);
    (this.isTable ? this.cells[this.chosen] : this.map).focus({ preventScroll: true });
  }

  take(place) {
    this.choose(place);
    this.pick?.(place);
  }

  choose(place) {
    this.chosen = place;
    if (this.isTable) {
      this.cells.forEach((cell, i) => {
        cell.tabIndex = i === Math.max(place, 0) ? 0 : -1;
        cell.classList.toggle('chosen', i === place);
        cell.setAttribute('aria-selected', i === place);
      });
      return;
    }
    this.cursor.hidden = place < 0;
    if (place < 0) this.near.hide();
    else {
      const { columns } = this.grid;
      const row = Math.floor(place / columns);
      this.near.show(row, place % columns, this.numbers.length / columns, columns);
      const [x, y] = this.placeOf(place);
      const [, wide, high] = this.sizes;
      this.cursor.style.inset = `${(100 * y) / high}% auto auto ${(100 * x) / wide}%`;
      Object.assign(this.cursor.style, { width: `${100 / wide}%`, height: `${100 / high}%` });
    }
    this.read(place);
  }

  read(place) {
    if (this.isTable) return;
    const ends = [Math.min, Math.max].map(end => this.numbers.reduce((a, b) => end(a, b)));
    const all = t('range', ...ends.map(end => numberText(end)));
    this.reading.textContent =
      place < 0 ? all : `${this.nameOf(place)} ${numberText(this.numbers[place])}`;
    this.reading.title = all;
  }
}
