#include "page_parts.hpp"

namespace tapehead {

// What the heads look at: one map, all heads as small ones, and the checkpoints to slide over.
const char* const report_maps_script = R"js(
// Weights as numbers, NaN for what is none: they come in 16 bits, where 65534 is 1.
const unpacked = new WeakMap();
function weightsOf(head) {
  if (!unpacked.has(head)) {
    const bytes = atob(head.weights), result = new Float32Array(bytes.length / 2);
    for (let i = 0; i < result.length; ++i) {
      const whole = bytes.charCodeAt(2 * i) + 256 * bytes.charCodeAt(2 * i + 1);
      result[i] = whole === 65535 ? NaN : whole / 65534;
    }
    unpacked.set(head, result);
  }
  return unpacked.get(head);
}
function describe(head) {
  return head.pattern ? `${head.pattern} ${head.score.toFixed(2)}` : 'no plain pattern';
}
function entropyText(head) {
  return head.entropy === null ? 'entropy unknown' : `entropy ${head.entropy.toFixed(2)}`;
}

// One pixel a weight: the page's ink, as opaque as the square root of the weight, so that small ones
// show. Red for what is no number.
function paint(canvas, weights, columns) {
  canvas.width = columns;
  canvas.height = weights.length / columns;
  const ink = getComputedStyle(document.documentElement).getPropertyValue('--ink').trim().split(' ');
  const context = canvas.getContext('2d');
  const image = context.createImageData(canvas.width, canvas.height);
  weights.forEach((weight, i) => {
    const wrong = Number.isNaN(weight), [r, g, b] = wrong ? [224, 49, 49] : ink;
    image.data.set([r, g, b, wrong ? 255 : Math.round(255 * Math.sqrt(weight))], 4 * i);
  });
  context.putImageData(image, 0, 0);
}

class Maps {
  constructor(maps) {
    this.maps = maps;
    this.checkpoint = maps.checkpoints.findIndex(each => each.last);
    if (this.checkpoint < 0) this.checkpoint = maps.checkpoints.length - 1;
    this.example = this.layer = this.head = 0;
    this.cell = null;
    this.root = element('div');
    this.root.append(this.slider(), this.choices());
    const both = element('div', undefined, 'both');
    this.overview = element('div');
    this.overview.id = 'overview';
    both.append(this.figure(), this.overview);
    this.root.append(both);
  }

  get axes() { return this.maps.examples[this.example].layers[this.layer]; }
  get layers() { return this.maps.checkpoints[this.checkpoint].examples[this.example]; }
  get weights() { return weightsOf(this.layers[this.layer][this.head]); }

  slider() {
    const result = element('div', undefined, 'slider'), { checkpoints } = this.maps;
    this.step = element('output');
    if (checkpoints.length > 1) {
      this.range = Object.assign(element('input'), { type: 'range', id: 'checkpoint', min: 0, max: checkpoints.length - 1, step: 1, value: this.checkpoint });
      this.range.addEventListener('input', () => this.choose({ checkpoint: Number(this.range.value) }));
      result.append(labelled('Checkpoint', this.range));
    } else {
      result.append('Checkpoint');
    }
    result.append(this.step);
    return result;
  }

  choices() {
    const result = element('div', undefined, 'choose controls');
    const select = (name, key, names) => {
      const control = options(element('select'), names);
      control.id = key;
      control.addEventListener('change', () => this.choose({ [key]: Number(control.value) }));
      result.append(labelled(name, control));
      return control;
    };
    const cut = text => [...text].length > 40 ? [...text].slice(0, 39).join('') + '…' : text;
    this.selects = {
      example: select('Example', 'example', this.maps.examples.map((each, i) => `${i + 1}: ${cut(each.text)}`)),
      layer: select('Layer', 'layer', []),
      head: select('Head', 'head', []),
    };
    return result;
  }

  figure() {
    const figure = element('figure'), caption = element('figcaption');
    this.name = element('h3');
    this.about = element('span');
    this.module = element('span', undefined, 'soft');
    caption.append(this.name, this.about, this.module);
    this.value = element('p');
    this.value.id = 'value';
    this.value.setAttribute('role', 'status');
    this.map = element('div', undefined, 'map');
    this.map.id = 'map';
    this.map.tabIndex = 0;
    this.map.setAttribute('role', 'application');
    this.map.setAttribute('aria-describedby', 'value');
    this.keys = element('div', undefined, 'keys');
    this.queries = element('div', undefined, 'queries');
    this.canvas = element('canvas');
    this.cursor = element('div', undefined, 'cursor');
    for (const axis of [this.keys, this.queries]) axis.setAttribute('aria-hidden', true);
    const cells = element('div', undefined, 'cells'), scroll = element('div', undefined, 'scroll');
    cells.append(this.canvas, this.cursor);
    this.map.append(this.keys, this.queries, cells);
    scroll.append(this.map);
    const scale = element('div', undefined, 'soft scale'), steps = element('div');
    for (const weight of ['0', '0.25', '1']) steps.append(element('span', weight));
    scale.append('weight ', steps);
    scale.setAttribute('aria-hidden', true);
    figure.append(caption, element('p', 'Each row is a token that looks, each column one that it looks at.', 'soft'), this.value, scroll, scale);
    this.canvas.addEventListener('pointermove', event => this.point(this.under(event)));
    this.canvas.addEventListener('pointerleave', () => this.point(this.cell));
    this.canvas.addEventListener('click', event => this.point(this.cell = this.under(event)));
    this.map.addEventListener('keydown', event => this.key(event));
    return figure;
  }

  choose(change) {
    Object.assign(this, change);
    if (!('checkpoint' in change) && !('head' in change)) this.cell = null;
    this.layer = within(this.layer, 0, this.layers.length - 1);
    this.head = within(this.head, 0, this.layers[this.layer].length - 1);
    this.show();
  }

  show() {
    const { step, best, last } = this.maps.checkpoints[this.checkpoint];
    const head = this.layers[this.layer][this.head], name = `${this.axes.name} head ${this.head}`;
    this.step.textContent = `step ${step.toLocaleString('en')}${best ? ', the best' : ''}${last ? ', the last' : ''}`;
    if (this.range) this.range.setAttribute('aria-valuetext', this.step.textContent);
    options(this.selects.layer, this.maps.examples[this.example].layers.map(each => each.name));
    options(this.selects.head, this.layers[this.layer].map((_, i) => String(i)));
    for (const key of ['example', 'layer', 'head']) this.selects[key].value = this[key];
    this.name.textContent = name;
    this.about.textContent = `${describe(head)} · ${entropyText(head)}`;
    this.module.textContent = this.axes.module;
    this.map.setAttribute('aria-label', `Weights of ${name}; arrow keys move from one to the next`);
    this.keys.replaceChildren(...this.axes.keys.map(label => element('span', label)));
    this.queries.replaceChildren(...this.axes.queries.map(label => element('span', label)));
    paint(this.canvas, this.weights, this.axes.keys.length);
    this.layOut();
    this.point(this.cell);
    this.showAll();
  }

  // Cells are as large as the window allows, but not too small to hit: then the map scrolls.
  layOut() {
    const columns = this.axes.keys.length, rows = this.axes.queries.length;
    const longest = labels => Math.max(...labels.map(label => [...label].length));
    const room = this.map.parentElement.clientWidth - 24;
    const beside = Math.min(longest(this.axes.queries), 8) * 8;
    const least = Math.max(columns, rows) <= 200 ? 10 : 2;
    const size = Math.max(least, Math.floor(Math.min(26, (room - beside) / columns, 520 / rows)));
    const font = Math.min(14, Math.round(size * 0.85));
    for (const [name, value] of [['cell', size + 'px'], ['font', font + 'px'], ['columns', columns], ['rows', rows]])
      this.map.style.setProperty('--' + name, value);
    this.map.classList.toggle('upright', longest(this.axes.keys) * font * 0.62 > size);
    this.map.classList.toggle('dense', size < 8);
  }

  // Every head of this checkpoint and example, small. The buttons stay while their number does, so
  // that the one in use keeps the focus.
  showAll() {
    const { layers } = this.maps.examples[this.example];
    const shape = layers.map((each, i) => `${each.name} ${this.layers[i].length}`).join();
    if (shape !== this.shape) {
      this.shape = shape;
      this.overview.replaceChildren(...layers.map((axes, layer) => {
        const row = element('div', undefined, 'layer'), heads = element('div', undefined, 'heads');
        heads.append(...this.layers[layer].map((_, head) => {
          const result = button('', () => this.choose({ layer, head }));
          const canvas = element('canvas');
          canvas.setAttribute('aria-hidden', true);
          result.append(canvas, element('b', `head ${head}`), element('span', '', 'soft'), element('span', '', 'soft'));
          return result;
        }));
        row.append(element('h3', axes.name), heads);
        return row;
      }));
    }
    const buttons = this.overview.querySelectorAll('button');
    let i = 0;
    layers.forEach((axes, layer) => this.layers[layer].forEach((head, number) => {
      const [canvas, , pattern, spread] = buttons[i].children;
      paint(canvas, weightsOf(head), axes.keys.length);
      pattern.textContent = describe(head);
      spread.textContent = entropyText(head);
      buttons[i++].setAttribute('aria-pressed', layer === this.layer && number === this.head);
    }));
  }

  // Marks a weight and says what it is, or neither.
  point(at) {
    for (const label of this.map.querySelectorAll('.seen')) label.classList.remove('seen');
    this.cursor.hidden = !at;
    if (!at) {
      this.value.replaceChildren(element('span', 'Point at a weight, or tap it, to read it.', 'soft'));
      return;
    }
    this.cursor.style.left = `calc(var(--cell) * ${at.key})`;
    this.cursor.style.top = `calc(var(--cell) * ${at.query})`;
    this.keys.children[at.key].classList.add('seen');
    this.queries.children[at.query].classList.add('seen');
    const { keys, queries, first, extra } = this.axes;
    const token = (label, place) => [element('b', label), place < 0 ? ' (no token)' : ` (place ${place})`];
    const weight = this.weights[at.query * keys.length + at.key];
    this.value.replaceChildren(...token(queries[at.query], at.query + first), ' looks at ',
                               ...token(keys[at.key], at.key - extra), ' with weight ',
                               element('strong', Number.isNaN(weight) ? 'not a number' : weight.toFixed(4)));
  }

  under(event) {
    const box = this.canvas.getBoundingClientRect();
    const place = (offset, size, count) => within(Math.floor(offset / size * count), 0, count - 1);
    return { query: place(event.clientY - box.top, box.height, this.axes.queries.length),
             key: place(event.clientX - box.left, box.width, this.axes.keys.length) };
  }

  key(event) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    const from = this.cell || { query: -step[0], key: -step[1] };
    this.cell = { query: within(from.query + step[0], 0, this.axes.queries.length - 1),
                  key: within(from.key + step[1], 0, this.axes.keys.length - 1) };
    this.point(this.cell);
    this.cursor.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    event.preventDefault();
  }
}
)js";

}  // namespace tapehead
