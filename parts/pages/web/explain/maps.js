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
function paintNumbers(canvas, numbers, placeOf) {
  const style = getComputedStyle(document.documentElement);
  const context = canvas.getContext('2d');
  const image = context.createImageData(canvas.width, canvas.height);
  const most = mostOf(numbers);
  numbers.forEach((number, i) => {
    const { colour, strength } = colourOf(number, most);
    const rgb = style.getPropertyValue(colour).trim().split(' ');
    const [x, y] = placeOf(i);
    image.data.set([...rgb, Math.round(255 * strength)], 4 * (y * canvas.width + x));
  });
  context.putImageData(image, 0, 0);
}

const mapSteps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// A view of a tensor. `name` is for screen readers; pick(i) is called when the reader selects
// element i; nameOf(i) returns the element's name.
class TensorMap {
  constructor({ name, shape, numbers, chosen = -1, pick, nameOf }) {
    Object.assign(this, { name, shape, numbers, chosen, pick, nameOf });
    this.grid = gridOf(shape);
    this.most = mostOf(numbers);
    const { rows, columns, blocks } = this.grid;
    this.isTable = rows * blocks <= 8 && columns <= 8;
    this.root = element('div', undefined, 'tensor');
    if (this.isTable) this.root.append(this.makeTable(true));
    else this.root.append(this.makeMap(), this.makeReading(), this.makeNumbers());
    this.choose(chosen);
  }

  makeTable(isGrid) {
    const { rows, columns, blocks } = this.grid;
    const table = element('table', undefined, 'numbers');
    if (isGrid) attributed(table, { role: 'grid', 'aria-label': this.name });
    else table.setAttribute('aria-label', this.name);
    for (let row = 0; row < rows * blocks; ++row) {
      const line = element('tr', undefined, row > 0 && row % rows === 0 ? 'block' : '');
      for (let column = 0; column < columns; ++column) {
        const place = row * columns + column;
        const cell = element('td', numberText(this.numbers[place]));
        cell.dataset.element = place;
        if (isGrid) {
          cell.style.background = shadeOf(this.numbers[place], this.most);
          attributed(cell, { role: 'gridcell', tabindex: -1 });
        }
        line.append(cell);
      }
      table.append(line);
    }
    if (!isGrid) return table;
    this.cells = table.querySelectorAll('td');
    table.addEventListener('click', event => {
      const cell = event.target.closest('td');
      if (cell) this.take(Number(cell.dataset.element));
    });
    this.listen(table);
    return table;
  }

  makeMap() {
    [this.across, this.wide, this.high] = sizesOf(this.grid, 72);
    this.canvas = element('canvas');
    this.canvas.width = this.wide;
    this.canvas.height = this.high;
    const across = this.wide <= 20 ? 14 : this.wide <= 40 ? 7 : this.wide <= 80 ? 5 : 3;
    const cell = Math.min(across, Math.max(3, Math.floor(220 / this.high)));
    this.map = attributed(element('div', undefined, 'map'), {
      tabindex: 0,
      role: 'application',
      'aria-label': t('mapKeys', this.name),
    });
    this.map.style.width = `calc(${this.wide * cell}px * var(--zoom))`;
    this.cursor = element('div', undefined, 'cursor');
    this.map.append(this.canvas, this.cursor);
    this.map.addEventListener('click', event => this.take(this.under(event)));
    this.map.addEventListener('pointermove', event => this.read(this.under(event)));
    this.map.addEventListener('pointerleave', () => this.read(this.chosen));
    this.listen(this.map);
    this.paint();
    return this.map;
  }

  makeReading() {
    this.reading = attributed(element('p', '', 'reading'), { 'aria-live': 'polite' });
    return this.reading;
  }

  makeNumbers() {
    const details = element('details', undefined, 'all');
    const summary = element('summary', t('numbers'));
    details.append(summary);
    summary.addEventListener('click', () => {
      if (details.children.length === 1)
        details.append(scrolling(this.makeTable(false), this.name));
    });
    return details;
  }

  paint() {
    paintNumbers(this.canvas, this.numbers, i => this.placeOf(i));
  }

  placeOf(place) {
    return placeIn(this.grid, this.across, place);
  }

  under(event) {
    const box = this.canvas.getBoundingClientRect();
    const { rows, columns, blocks } = this.grid;
    const at = (from, length, cells) => clamp(Math.floor((from / length) * cells), 0, cells - 1);
    const x = at(event.clientX - box.left, box.width, this.wide);
    const y = at(event.clientY - box.top, box.height, this.high);
    const block = Math.floor(y / (rows + 1)) * this.across + Math.floor(x / (columns + 1));
    const column = Math.min(x % (columns + 1), columns - 1);
    const row = Math.min(y % (rows + 1), rows - 1);
    return (Math.min(block, blocks - 1) * rows + row) * columns + column;
  }

  // If the reader enters with the Tab key, arrow keys select elements; after a click, they still
  // select steps.
  listen(box) {
    box.addEventListener('keydown', event => this.onKey(event));
    box.addEventListener('mousedown', event => event.preventDefault());
  }

  // Arrow keys move the selection, from the last row of a block to the next block. Escape leaves.
  onKey(event) {
    if (event.key === 'Escape') document.activeElement.blur();
    const step = mapSteps[event.key];
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
    if (place >= 0) {
      const [x, y] = this.placeOf(place);
      const percent = (at, of) => `${(100 * at) / of}%`;
      this.cursor.style.cssText =
        `left:${percent(x, this.wide)};top:${percent(y, this.high)};` +
        `width:${percent(1, this.wide)};height:${percent(1, this.high)}`;
    }
    this.read(place);
  }

  read(place) {
    if (this.isTable) return;
    const all = `${numberText(this.numbers.reduce((a, b) => Math.min(a, b)))} to ${numberText(
      this.numbers.reduce((a, b) => Math.max(a, b)),
    )}`;
    this.reading.textContent =
      place < 0 ? all : `${this.nameOf(place)} ${numberText(this.numbers[place])}`;
    this.reading.title = all;
  }
}
