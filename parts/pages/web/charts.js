// Curves over steps, or over what else `axis` names. A curve is { name, look, steps, values }, and
// one with a band has { low, high }, too.

// On a page about one run every curve of a chart has a colour and a dash; on a page about several,
// every run has, and the curves of a run have different marks.
const dashes = ['', '8 4', '2 3', '10 3 2 3', '16 4', '5 2'];
const marks = [
  '',
  'M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z',
  'M-3 -3h6v6h-6z',
  'M0 -4l4 7h-8z',
  'M0 -4.5l4 4.5l-4 4.5l-4 -4.5z',
];
const mostMarks = 40;

function lookOf(run, index, marked) {
  const i = runs.length > 1 ? run : index;
  let mark = 0;
  if (runs.length > 1) mark = index % marks.length;
  else if (marked) mark = 1 + (index % (marks.length - 1));
  return { colour: `var(--c${i % 8})`, dash: dashes[i % dashes.length], mark: marks[mark] };
}

function drawn(tag, attributes, text) {
  const result = document.createElementNS('http://www.w3.org/2000/svg', tag);
  if (text !== undefined) result.textContent = text;
  return attributed(result, attributes);
}

function drawnLine(look, d) {
  return drawn('path', {
    class: 'line',
    style: `stroke: ${look.colour}`,
    'stroke-dasharray': look.dash || 'none',
    d,
  });
}

function drawnMark(look, d, place) {
  const style = `fill: ${look.colour}`;
  return drawn('path', { class: 'marker', d, style, transform: `translate(${place})` });
}

// A short piece of a curve, for legends.
function swatch(look) {
  const result = drawn('svg', { width: 34, height: 12, 'aria-hidden': true });
  result.append(drawnLine(look, 'M0 6h34'));
  return result;
}

// Five digits at most, and no more zeros than needed.
function number(value) {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return exponential(value, 3);
  if (size >= 1e4) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(5)));
}

const exponential = (value, digits) => value.toExponential(digits).replace(/\.?0+e/, 'e');

// The same, as short as an axis wants it.
function short(value) {
  const size = Math.abs(value);
  const digits = x => String(Number(x.toPrecision(6)));
  if (size >= 1e15) return value.toExponential(0);
  const units = [
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ];
  for (const [unit, name] of units)
    if (size >= (unit === 1e3 ? 1e4 : unit)) return digits(value / unit) + name;
  return size > 0 && size < 1e-4 ? exponential(value, 2) : digits(value);
}

// Numbers for an axis: multiples of 1, 2 or 5 times a power of ten; two at least, which tell a scale.
function ticks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(each => each * power).find(each => each >= rough * 0.999);
  const result = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i)
    result.push(i * step);
  return result.length > 1 || count > 50 ? result : ticks(low, high, 2 * count);
}

// For a logarithmic axis: powers of ten, fewer of them where there are many.
function logTicks(low, high, count) {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const between = last - first <= 2 ? [1, 2, 5] : [1];
  const every = Math.ceil((last - first) / count);
  const result = [];
  for (let power = first; power <= last; power += every)
    for (const digit of between) result.push(Number(`${digit}e${power}`));
  const inside = result.filter(each => each >= low * 0.999 && each <= high * 1.001);
  return inside.length > 1 ? inside : ticks(low, high, count).filter(each => each > 0);
}

// The index of the nearest element, null in an empty list.
function nearest(list, distance) {
  let best = null;
  let least = Infinity;
  list.forEach((each, i) => {
    const d = distance(each);
    if (d >= least) return;
    best = i;
    least = d;
  });
  return best;
}

// All charts have the same steps, so that they can be compared downwards too.
function stepsOf(curves) {
  const ends = curves.flatMap(({ steps }) => [steps[0], steps[steps.length - 1]]);
  const steps = ends.filter(Number.isFinite);
  const first = Math.min(...steps);
  const last = Math.max(...steps);
  return [first < last / 4 ? 0 : first, last];
}

class Chart {
  // `ends` are the first and the last step of the axis.
  constructor(name, unit, curves, ends, axis) {
    this.name = name;
    this.ends = ends;
    this.axis = axis;
    this.curves = curves.map(curve => ({ ...curve, shown: true }));
    this.log = false;
    this.at = null; // the index, in this.steps, of the step that is read
    this.root = element('figure', undefined, curves.length > 2 ? 'chart several' : 'chart');
    this.root.dataset.chart = name;
    const heading = element('h3', name);
    if (unit) heading.append(' ', element('span', unit, 'soft'));
    const caption = element('figcaption');
    caption.append(heading);
    const isPositive = curves.some(curve => curve.values.some(value => value > 0));
    if (/loss|norm|rate|ratio|error/i.test(name) && isPositive) caption.append(this.logSwitch());
    this.plot = attributed(element('div', undefined, 'plot'), {
      tabindex: 0,
      role: 'application',
      'aria-roledescription': 'chart',
      'aria-label': `${name} over ${axis}; left and right arrow keys read it point by point`,
    });
    this.read = attributed(element('p', undefined, 'read soft'), { role: 'status' });
    this.root.append(caption, this.plot, this.read);
    if (this.curves.length > 1) this.root.append(this.legend());
    this.plot.addEventListener('pointermove', event => this.point(this.stepUnder(event)));
    this.plot.addEventListener('pointerdown', event => this.point(this.stepUnder(event)));
    this.plot.addEventListener('pointerleave', event => {
      if (event.pointerType === 'mouse') this.point(null);
    });
    this.plot.addEventListener('blur', () => this.point(null));
    this.plot.addEventListener('keydown', event => this.onKey(event));
  }

  get isWide() {
    return this.root.classList.contains('wide');
  }

  logSwitch() {
    const box = attributed(element('input'), { type: 'checkbox' });
    box.addEventListener('change', () => {
      this.log = box.checked;
      this.draw();
    });
    const result = element('label', undefined, 'controls soft');
    result.append(box, 'log scale', element('span', ` for ${this.name}`, 'hidden'));
    return result;
  }

  legend() {
    const result = attributed(element('div', undefined, 'legend'), {
      role: 'group',
      'aria-label': `Curves of ${this.name}`,
    });
    for (const curve of this.curves) {
      const piece = swatch(curve.look);
      if (curve.look.mark) piece.append(drawnMark(curve.look, curve.look.mark, '17 6'));
      const toggle = button('', () => {
        curve.shown = !curve.shown;
        toggle.setAttribute('aria-pressed', curve.shown);
        this.at = null;
        this.draw();
      });
      toggle.setAttribute('aria-pressed', true);
      toggle.append(piece, curve.name);
      result.append(toggle);
    }
    return result;
  }

  // The points that can be drawn: on a logarithmic scale none that are at 0.
  points(curve) {
    const all = curve.steps.map((step, i) => [step, curve.values[i]]);
    return all.filter(([, value]) => value !== null && (!this.log || value > 0));
  }

  // Of what is drawn: curves, and their bands.
  values({ curve, points }) {
    const ends = [...(curve.low ?? []), ...(curve.high ?? [])];
    return [...points.map(([, value]) => value), ...ends.filter(end => !this.log || end > 0)];
  }

  range(values) {
    let low = Infinity;
    let high = -Infinity;
    for (const value of values) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    if (low > high) return this.log ? [0.1, 1] : [0, 1];
    if (this.name === 'Exact match') return [0, 1];
    if (this.log) return low === high ? [low / 2, high * 2] : [low, high];
    if (low >= 0 && low < 0.4 * high) low = 0;
    if (low === high)
      return low === 0 ? [0, 1] : [low - Math.abs(low) / 10, high + Math.abs(high) / 10];
    const room = (high - low) * 0.04;
    return [low === 0 ? 0 : low - room, high + room];
  }

  draw() {
    const width = Math.max(this.plot.clientWidth, 200);
    const height = this.isWide ? 300 : 220;
    this.shown = this.curves
      .filter(curve => curve.shown)
      .map(curve => ({ curve, points: this.points(curve) }));
    const points = this.shown.flatMap(each => each.points);
    this.steps = [...new Set(points.map(([step]) => step))].sort((a, b) => a - b);
    const svg = drawn('svg', { viewBox: `0 0 ${width} ${height}`, height, 'aria-hidden': true });
    this.drawAxes(svg, width, height, this.range(this.shown.flatMap(each => this.values(each))));
    for (const each of this.shown) this.drawBand(svg, each.curve);
    for (const each of this.shown) this.drawCurve(svg, each);
    this.guide = drawn('g', {});
    svg.append(this.guide);
    if (!this.steps.length) {
      const middle = { x: width / 2, y: height / 2, 'text-anchor': 'middle' };
      svg.append(drawn('text', middle, 'no curve is shown'));
    }
    this.plot.replaceChildren(svg);
    this.point(this.at);
  }

  // Also sets x and y, which turn steps and values into pixels.
  drawAxes(svg, width, height, [low, high]) {
    const yTicks = this.log ? logTicks(low, high, 6) : ticks(low, high, height / 50);
    const labels = yTicks.map(short);
    const left = 12 + 7 * Math.max(...labels.map(label => label.length), 2);
    const right = width - 14;
    const top = 10;
    const bottom = height - 40;
    const [start, last] = this.ends;
    const scale = this.log ? Math.log : value => value;
    const along = step => (last === start ? 0.5 : (step - start) / (last - start));
    const up = value => (scale(value) - scale(low)) / (scale(high) - scale(low));
    this.top = top;
    this.bottom = bottom;
    this.x = step => left + along(step) * (right - left);
    this.y = value => bottom - up(value) * (bottom - top);

    yTicks.forEach((tick, i) => {
      const y = this.y(tick).toFixed(1);
      svg.append(
        drawn('path', { class: 'grid', d: `M${left} ${y}H${right}` }),
        drawn('text', { x: left - 6, y: Number(y) + 4, 'text-anchor': 'end' }, labels[i]),
      );
    });
    const xTicks =
      last === start ? [last] : ticks(start, last, (width - left) / 80).filter(Number.isInteger);
    for (const tick of xTicks) {
      const x = this.x(tick);
      svg.append(
        drawn('path', { class: 'axis', d: `M${x.toFixed(1)} ${bottom}v4` }),
        drawn('text', { x, y: bottom + 17, 'text-anchor': 'middle' }, short(tick)),
      );
    }
    const under = { x: (left + right) / 2, y: height - 6, 'text-anchor': 'middle' };
    svg.append(
      drawn('path', { class: 'axis', d: `M${left} ${top}V${bottom}H${right}` }),
      drawn('text', under, this.axis),
    );
  }

  // From the lowest to the highest of the runs that a curve is the mean of.
  drawBand(svg, { steps, low, high, look }) {
    if (!low) return;
    const least = Math.min(...low.filter(value => value > 0), ...high);
    const place = (value, i) => this.pixels([steps[i], this.log ? Math.max(value, least) : value]);
    const edge = [...high.map(place), ...low.map(place).reverse()];
    const style = `fill: ${look.colour}; fill-opacity: .16`;
    svg.append(drawn('path', { class: 'band', style, d: `M${edge.join('L')}z` }));
  }

  drawCurve(svg, { curve, points }) {
    const places = points.map(point => this.pixels(point));
    if (points.length > 1) svg.append(drawnLine(curve.look, `M${places.join('L')}`));
    const mark = points.length === 1 ? curve.look.mark || marks[1] : curve.look.mark;
    if (!mark) return;
    const every = points.length <= mostMarks ? 1 : Math.ceil(points.length / 14);
    places.forEach((place, i) => {
      if (i % every === 0 || i === points.length - 1)
        svg.append(drawnMark(curve.look, mark, place));
    });
  }

  pixels([step, value]) {
    return `${this.x(step).toFixed(1)} ${this.y(value).toFixed(1)}`;
  }

  stepUnder(event) {
    const x = event.clientX - this.plot.getBoundingClientRect().left;
    return nearest(this.steps, step => Math.abs(this.x(step) - x));
  }

  // Reads every curve that is shown at a step, or at its point nearest to it.
  point(at) {
    this.at = at;
    this.guide.replaceChildren();
    if (at === null || this.steps[at] === undefined) {
      const hint = 'Point at a chart, or use the arrow keys in it, to read its curves.';
      this.read.textContent = this.isWide ? hint : '';
      return;
    }
    const step = this.steps[at];
    const line = `M${this.x(step).toFixed(1)} ${this.top}V${this.bottom}`;
    this.guide.append(drawn('path', { class: 'guide', d: line }));
    const readings = [];
    for (const { curve, points } of this.shown) {
      const i = nearest(points, point => Math.abs(point[0] - step));
      if (i === null) continue;
      const [where, value] = points[i];
      const beside = where === step ? '' : ` (at ${where.toLocaleString('en')})`;
      readings.push(`${curve.name || this.name} ${number(value)}${beside}`);
      this.guide.append(drawnMark(curve.look, marks[1], this.pixels(points[i])));
    }
    const unit = this.axis === 'steps' ? 'step' : this.axis;
    const heading = element('strong', `${unit} ${step.toLocaleString('en')}`);
    this.read.replaceChildren(heading, ` · ${readings.join(' · ')}`);
  }

  onKey(event) {
    const last = this.steps.length - 1;
    const leap = Math.max(1, Math.round(last / 10));
    const outside = { ArrowLeft: last + 1, PageDown: last + leap }[event.key] ?? -1;
    const from = this.at ?? outside;
    const to = {
      ArrowLeft: from - 1,
      ArrowRight: from + 1,
      PageUp: from + leap,
      PageDown: from - leap,
      Home: 0,
      End: last,
    }[event.key];
    if (event.key === 'Escape') this.point(null);
    if (to === undefined || last < 0 || hasModifier(event)) return;
    this.point(clamp(to, 0, last));
    event.preventDefault();
  }
}
