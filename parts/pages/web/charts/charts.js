// Charts of curves over steps, or over the quantity that `axis` names. A curve is { name, look,
// steps, values }, with { low, high } if it has a band. On a page about several runs it also has
// { run, label }: the run's number, and the run's name with the curve's.

const chartTexts = t('charts');
const dashes = ['', '8 4', '2 3', '10 3 2 3', '16 4', '5 2'];
const marks = [
  '',
  'M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z',
  'M-3 -3h6v6h-6z',
  'M0 -4l4 7h-8z',
  'M0 -4.5l4 4.5l-4 4.5l-4 -4.5z',
];
const mostMarks = 40;

// Returns a style: the colour and dash pattern of a line, and a mark for its points.
const lineLook = (line, mark = 0) => ({
  colour: `var(--c${line % 8})`,
  dash: dashes[line % dashes.length],
  mark: marks[mark % marks.length],
});

// Returns the style of a curve among the curves of one run.
const curveLook = (index, isMarked) =>
  lineLook(index, isMarked ? 1 + (index % (marks.length - 1)) : 0);

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

// Draws a short piece of a curve, for a legend.
function swatch(look) {
  const result = drawn('svg', { width: 34, height: 12, 'aria-hidden': true });
  result.append(drawnLine(look, 'M0 6h34'));
  return result;
}

// Returns the index of the element with the smallest distance(element); null for an empty list.
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

// Calls draw() whenever the width of a plot has changed.
function drawToFit(plot, draw) {
  let width = 0;
  const measure = () => {
    if (plot.clientWidth === width) return;
    width = plot.clientWidth;
    draw();
  };
  new ResizeObserver(measure).observe(plot);
}

class Chart {
  // `ends` are the first and last step on the axis.
  constructor(name, unit, curves, ends, axis, view = new View()) {
    const isSteps = axis === 'steps';
    Object.assign(this, { name, all: ends, view });
    this.axis = isSteps ? chartTexts.steps : axis;
    this.axisUnit = isSteps ? chartTexts.step : axis;
    this.zoom = null; // called with the range of steps that the reader selects, null for all
    this.curves = curves.map(curve => ({ ...curve, shown: true }));
    this.log = false;
    this.at = null; // index in this.steps of the selected step
    const isPositive = curves.some(curve => curve.values.some(value => value > 0));
    const canBeLog = /loss|norm|rate|ratio|error/i.test(name) && isPositive;
    this.plot = make(
      'div.plot',
      {
        tabindex: 0,
        role: 'application',
        'aria-roledescription': chartTexts.chart,
        'aria-label': chartTexts.plot(name, this.axis),
      },
      this.listeners(),
    );
    this.read = make('p.read.soft', { role: 'status' });
    const heading = make('h3', name, unit && [' ', make('span.soft', unit)]);
    this.root = make(
      curves.length > 2 ? 'figure.chart.several' : 'figure.chart',
      { 'data-chart': name },
      make('figcaption', heading, canBeLog && this.logSwitch()),
      this.plot,
      this.read,
      this.kinds().length > 1 && this.legend(),
    );
    drawToFit(this.plot, () => this.draw());
  }

  listeners() {
    return {
      onpointermove: event => {
        this.point(this.stepUnder(event));
        this.drag(event);
      },
      onpointerdown: event => {
        this.point(this.stepUnder(event));
        this.from = this.zoom && event.button === 0 ? this.stepAt(event) : null;
      },
      onpointerup: event => this.drop(event),
      ondblclick: () => this.zoom?.(null),
      onpointerleave: event => event.pointerType === 'mouse' && this.point(null),
      onblur: () => this.point(null),
      onkeydown: event => this.onKey(event),
    };
  }

  // Draws other points of the same curves.
  renew(curves, ends) {
    this.all = ends;
    curves.forEach((curve, i) => Object.assign(this.curves[i], curve));
    this.draw();
  }

  // The first and last step shown.
  get ends() {
    return this.view.steps ?? this.all;
  }

  get isWide() {
    return this.root.classList.contains('wide');
  }

  logSwitch() {
    const change = event => {
      this.log = event.target.checked;
      this.draw();
    };
    const box = make('input', { type: 'checkbox', onchange: change });
    const name = make('span.hidden', chartTexts.of(this.name));
    return make('label.controls.soft', box, chartTexts.logScale, name);
  }

  // Returns lists of curves, one for each legend entry. If all runs share a legend, an entry is for
  // one quantity in all runs.
  kinds() {
    const found = new Map();
    for (const curve of this.curves) {
      const key = curve.run === undefined ? curve : curve.name;
      if (!found.has(key)) found.set(key, []);
      found.get(key).push(curve);
    }
    return [...found.values()];
  }

  legend() {
    const toggles = this.kinds().map(curves => {
      const [{ name, run, look: own }] = curves;
      const look = run === undefined ? own : { ...own, colour: 'var(--text)', dash: '' };
      const piece = swatch(look);
      if (look.mark) piece.append(drawnMark(look, look.mark, '17 6'));
      const toggle = button([piece, name || this.name], () => {
        for (const curve of curves) curve.shown = !curve.shown;
        toggle.setAttribute('aria-pressed', curves[0].shown);
        this.at = null;
        this.draw();
      }, { 'aria-pressed': true });
      return toggle;
    });
    const name = chartTexts.curvesOf(this.name);
    return make('div.legend', { role: 'group', 'aria-label': name }, toggles);
  }

  // Returns the points of a curve that can be drawn: on a logarithmic scale, only positive values.
  points(curve) {
    const all = curve.steps.map((step, i) => [step, curve.values[i]]);
    return all.filter(([, value]) => value !== null && (!this.log || value > 0));
  }

  // Returns the points of a curve and of its band that the vertical axis must include.
  within({ curve, points }) {
    const band = [curve.low, curve.high].flatMap(
      values => values?.map((value, i) => [curve.steps[i], value]) ?? [],
    );
    const [first, last] = this.ends;
    return [...points, ...band].filter(
      ([step, value]) => step >= first && step <= last && (!this.log || value > 0),
    );
  }

  range() {
    const points = this.shown.flatMap(each => this.within(each));
    const found = rangeOf(points, this.ends, this.view.ignoresOutliers);
    if (!found) return this.log ? [0.1, 1] : [0, 1];
    let [low, high] = found;
    const isNarrowed = this.view.steps || this.view.ignoresOutliers;
    if (this.name.startsWith('Exact match') && !isNarrowed) return [0, 1];
    if (this.log) return low === high ? [low / 2, high * 2] : [low, high];
    if (low >= 0 && low < 0.1 * high) low = 0;
    if (low === high)
      return low === 0 ? [0, 1] : [low - Math.abs(low) / 10, high + Math.abs(high) / 10];
    const room = (high - low) * 0.04;
    return [low === 0 ? 0 : low - room, high + room];
  }

  draw() {
    const width = Math.max(this.plot.clientWidth, 200);
    const height = this.isWide ? 300 : 220;
    this.shown = this.curves
      .filter(curve => curve.shown && !this.view.hidden.has(curve.run))
      .map(curve => {
        const raw = this.points(curve);
        const { smoothing } = this.view;
        // Doesn't smooth curves with few points: the average would only lag behind.
        return smoothing && raw.length > mostMarks
          ? { curve, raw, points: smoothed(raw, smoothing) }
          : { curve, points: raw };
      });
    const [first, last] = this.ends;
    const steps = this.shown.flatMap(({ points }) => points.map(([step]) => step));
    this.steps = [...new Set(steps)]
      .filter(step => step >= first && step <= last)
      .sort((a, b) => a - b);
    const svg = drawn('svg', { viewBox: `0 0 ${width} ${height}`, height, 'aria-hidden': true });
    this.drawAxes(svg, width, height, this.range());
    const curves = this.clipped(svg, width);
    for (const each of this.shown) this.drawBand(curves, each.curve);
    for (const each of this.shown) this.drawCurve(curves, each);
    this.guide = drawn('g', {});
    svg.append(this.guide);
    if (!this.steps.length) {
      const middle = { x: width / 2, y: height / 2, 'text-anchor': 'middle' };
      svg.append(drawn('text', middle, chartTexts.none));
    }
    this.plot.replaceChildren(svg);
    this.point(this.at);
  }

  // Draws the axes and sets this.x and this.y, which map steps and values to pixels.
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
    Object.assign(this, { left, right, top, bottom });
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

  // Returns a nested SVG that clips everything outside the axes.
  clipped(svg, right) {
    const [x, y] = [this.left - 6, this.top - 6];
    const [width, height] = [right - x, this.bottom - y + 6];
    const result = drawn('svg', { x, y, width, height, viewBox: `${x} ${y} ${width} ${height}` });
    svg.append(result);
    return result;
  }

  // Draws the band from the lowest to the highest run around the mean's curve.
  drawBand(svg, { steps, low, high, look }) {
    if (!low) return;
    const least = Math.min(...low.filter(value => value > 0), ...high);
    const place = (value, i) => this.pixels([steps[i], this.log ? Math.max(value, least) : value]);
    const edge = [...high.map(place), ...low.map(place).reverse()];
    const style = `fill: ${look.colour}; fill-opacity: .16`;
    svg.append(drawn('path', { class: 'band', style, d: `M${edge.join('L')}z` }));
  }

  // Draws a curve; a smoothed curve in front of the raw one.
  drawCurve(svg, { curve, points, raw }) {
    const places = points.map(point => this.pixels(point));
    if (raw?.length > 1) {
      const line = drawnLine(curve.look, `M${raw.map(point => this.pixels(point)).join('L')}`);
      svg.append(attributed(line, { class: 'line raw' }));
    }
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

  xOf(event) {
    return event.clientX - this.plot.getBoundingClientRect().left;
  }

  stepUnder(event) {
    const x = this.xOf(event);
    return nearest(this.steps, step => Math.abs(this.x(step) - x));
  }

  // Returns the step at the pointer's position on the axis.
  stepAt(event) {
    const [first, last] = this.ends;
    const share = (this.xOf(event) - this.left) / (this.right - this.left);
    return Math.round(first + clamp(share, 0, 1) * (last - first));
  }

  // Highlights the range of steps that the reader drags over; `drop` selects the range.
  drag(event) {
    if (this.from == null || !event.buttons) return;
    const [left, right] = [this.x(this.from), this.x(this.stepAt(event))].sort((a, b) => a - b);
    const size = { x: left, y: this.top, width: right - left, height: this.bottom - this.top };
    this.guide.append(drawn('rect', { class: 'zoomed', ...size }));
  }

  drop(event) {
    const steps = [this.from, this.stepAt(event)].sort((a, b) => a - b);
    const isDragged = this.from != null && this.x(steps[1]) - this.x(steps[0]) > 8;
    this.from = null;
    if (isDragged) this.zoom(steps);
  }

  // Selects a step by its index and shows the values of all visible curves at their nearest points.
  point(at) {
    this.at = at;
    this.guide.replaceChildren();
    if (at === null || this.steps[at] === undefined) {
      const hint = chartTexts.hint + (this.zoom ? chartTexts.zoomHint : '');
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
      const beside = where === step ? '' : chartTexts.at(where);
      const name = curve.label || curve.name || this.name;
      readings.push({ value, text: `${name} ${number(value)}${beside}` });
      this.guide.append(drawnMark(curve.look, marks[1], this.pixels(points[i])));
    }
    const heading = make('strong', `${this.axisUnit} ${step.toLocaleString('en')}`);
    // Lists many values in the order of the curves from top to bottom.
    if (readings.length > 4) readings.sort((a, b) => b.value - a.value);
    this.read.replaceChildren(heading, ` · ${readings.map(({ text }) => text).join(' · ')}`);
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
