#include "page_parts.hpp"

namespace tapehead {

// Curves over steps. A curve is { name, look, steps, values }.
const char* const report_chart_script = R"js(
// On a page about one run every curve of a chart has a colour and a dash; of several, every run, and
// the curves of a run have different marks.
const dashes = ['', '8 4', '2 3', '10 3 2 3', '16 4', '5 2'];
const marks = [
  '', 'M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z', 'M-3 -3h6v6h-6z', 'M0 -4l4 7h-8z', 'M0 -4.5l4 4.5l-4 4.5l-4 -4.5z',
];
const mostMarks = 40;
function look(run, place, marked) {
  const i = runs.length > 1 ? run : place;
  const mark = runs.length > 1 ? place % marks.length : marked ? 1 + place % (marks.length - 1) : 0;
  return { colour: `var(--c${i % 8})`, dash: dashes[i % dashes.length], mark: marks[mark] };
}
function stroke(look) {
  return { class: 'line', style: `stroke: ${look.colour}`, 'stroke-dasharray': look.dash || 'none' };
}

// Numbers for an axis: 1, 2 or 5 of a power of ten; of a logarithmic one, the powers, or fewer.
function ticks(low, high, count) {
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(each => each * power).find(each => each >= rough * 0.999);
  const result = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) result.push(i * step);
  return result;
}
function logTicks(low, high, count) {
  const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
  const between = last - first <= 2 ? [1, 2, 5] : [1], every = Math.ceil((last - first) / count);
  const result = [];
  for (let power = first; power <= last; power += every)
    for (const digit of between) result.push(Number(`${digit}e${power}`));
  const seen = result.filter(each => each >= low * 0.999 && each <= high * 1.001);
  return seen.length > 1 ? seen : ticks(low, high, count).filter(each => each > 0);
}

// All charts have the same steps, so that they can be compared downwards too.
function stepsOf(curves) {
  const steps = curves.flatMap(curve => [curve.steps[0], curve.steps[curve.steps.length - 1]]).filter(Number.isFinite);
  const first = Math.min(...steps), last = Math.max(...steps);
  return [first < last / 4 ? 0 : first, last];
}

class Chart {
  constructor(name, unit, curves) {
    this.name = name;
    this.curves = curves.map(curve => ({ ...curve, shown: true }));
    this.log = false;
    this.at = null;  // the place, among this.steps, that is read
    this.root = element('figure', undefined, curves.length > 2 ? 'chart several' : 'chart');
    this.root.dataset.chart = name;
    const caption = element('figcaption'), heading = element('h3', name);
    if (unit) heading.append(' ', element('span', unit, 'soft'));
    caption.append(heading);
    if (/loss|norm|rate|ratio/i.test(name) && curves.some(curve => curve.values.some(value => value > 0)))
      caption.append(this.logSwitch());
    this.plot = element('div', undefined, 'plot');
    this.plot.tabIndex = 0;
    this.plot.setAttribute('role', 'application');
    this.plot.setAttribute('aria-roledescription', 'chart');
    this.plot.setAttribute('aria-label', `${name} over steps; left and right arrow keys read it step by step`);
    this.read = element('p', undefined, 'read soft');
    this.read.setAttribute('role', 'status');
    this.root.append(caption, this.plot, this.read);
    if (this.curves.length > 1) this.root.append(this.legend());
    this.plot.addEventListener('pointermove', event => this.point(this.stepUnder(event)));
    this.plot.addEventListener('pointerdown', event => this.point(this.stepUnder(event)));
    this.plot.addEventListener('pointerleave', event => event.pointerType === 'mouse' && this.point(null));
    this.plot.addEventListener('blur', () => this.point(null));
    this.plot.addEventListener('keydown', event => this.key(event));
  }

  logSwitch() {
    const box = element('input');
    box.type = 'checkbox';
    box.addEventListener('change', () => {
      this.log = box.checked;
      this.draw();
    });
    const result = element('label', undefined, 'controls soft');
    result.append(box, 'log scale', element('span', ` for ${this.name}`, 'hidden'));
    return result;
  }

  legend() {
    const result = element('div', undefined, 'legend');
    result.setAttribute('role', 'group');
    result.setAttribute('aria-label', `Curves of ${this.name}`);
    for (const curve of this.curves) {
      const swatch = drawn('svg', { width: 34, height: 12, 'aria-hidden': true });
      swatch.append(drawn('path', { ...stroke(curve.look), d: 'M0 6h34' }));
      if (curve.look.mark) swatch.append(drawn('path', { class: 'marker', d: curve.look.mark, style: `fill: ${curve.look.colour}`, transform: 'translate(17 6)' }));
      const toggle = button('', () => {
        curve.shown = !curve.shown;
        toggle.setAttribute('aria-pressed', curve.shown);
        this.at = null;
        this.draw();
      });
      toggle.setAttribute('aria-pressed', true);
      toggle.append(swatch, curve.name);
      result.append(toggle);
    }
    return result;
  }

  // Points that can be drawn: none are on a logarithmic scale at 0.
  points(curve) {
    const result = [];
    curve.steps.forEach((step, i) => {
      const value = curve.values[i];
      if (value !== null && (!this.log || value > 0)) result.push([step, value]);
    });
    return result;
  }

  range(values) {
    let low = Infinity, high = -Infinity;
    for (const value of values) low = Math.min(low, value), high = Math.max(high, value);
    if (low > high) return this.log ? [0.1, 1] : [0, 1];
    if (this.name === 'Exact match') return [0, 1];
    if (this.log) return low === high ? [low / 2, high * 2] : [low, high];
    if (low >= 0 && low < 0.4 * high) low = 0;
    if (low === high) return low === 0 ? [0, 1] : [low - Math.abs(low) / 10, high + Math.abs(high) / 10];
    const room = (high - low) * 0.04;
    return [low === 0 ? 0 : low - room, high + room];
  }

  draw() {
    const width = Math.max(this.plot.clientWidth, 200), height = this.root.classList.contains('wide') ? 300 : 220;
    const shown = this.curves.filter(curve => curve.shown).map(curve => ({ curve, points: this.points(curve) }));
    this.shown = shown;
    this.steps = [...new Set(shown.flatMap(each => each.points.map(point => point[0])))].sort((a, b) => a - b);
    const [low, high] = this.range(shown.flatMap(each => each.points.map(point => point[1])));
    const yTicks = this.log ? logTicks(low, high, 6) : ticks(low, high, height / 50);
    const labels = yTicks.map(short);
    const left = 12 + 7 * Math.max(...labels.map(label => label.length), 2), right = 14, top = 10, bottom = height - 40;
    const [start, last] = Chart.steps;
    Object.assign(this, { top, bottom });
    const scale = this.log ? Math.log : value => value;
    this.x = step => left + (last === start ? 0.5 : (step - start) / (last - start)) * (width - left - right);
    this.y = value => bottom - (scale(value) - scale(low)) / (scale(high) - scale(low)) * (bottom - top);

    const svg = drawn('svg', { viewBox: `0 0 ${width} ${height}`, height, 'aria-hidden': true });
    yTicks.forEach((tick, i) => {
      const y = this.y(tick).toFixed(1);
      svg.append(drawn('path', { class: 'grid', d: `M${left} ${y}H${width - right}` }),
                 drawn('text', { x: left - 6, y: Number(y) + 4, 'text-anchor': 'end' }, labels[i]));
    });
    const xTicks = last === start ? [last] : ticks(start, last, (width - left) / 80).filter(Number.isInteger);
    for (const tick of xTicks)
      svg.append(drawn('path', { class: 'axis', d: `M${this.x(tick).toFixed(1)} ${bottom}v4` }),
                 drawn('text', { x: this.x(tick), y: bottom + 17, 'text-anchor': 'middle' }, short(tick)));
    svg.append(drawn('path', { class: 'axis', d: `M${left} ${top}V${bottom}H${width - right}` }),
               drawn('text', { x: (left + width - right) / 2, y: height - 6, 'text-anchor': 'middle' }, 'steps'));
    for (const { curve, points } of shown) {
      const place = ([step, value]) => `${this.x(step).toFixed(1)} ${this.y(value).toFixed(1)}`;
      if (points.length > 1) svg.append(drawn('path', { ...stroke(curve.look), d: 'M' + points.map(place).join('L') }));
      const mark = points.length === 1 ? curve.look.mark || marks[1] : curve.look.mark;
      const every = points.length <= mostMarks ? 1 : Math.ceil(points.length / 14);
      if (mark)
        points.forEach((point, i) => {
          if (i % every === 0 || i === points.length - 1)
            svg.append(drawn('path', { class: 'marker', d: mark, style: `fill: ${curve.look.colour}`, transform: `translate(${place(point)})` }));
        });
    }
    this.guide = drawn('g', {});
    svg.append(this.guide);
    if (!this.steps.length) svg.append(drawn('text', { x: width / 2, y: height / 2, 'text-anchor': 'middle' }, 'no curve is shown'));
    this.plot.replaceChildren(svg);
    this.point(this.at);
  }

  stepUnder(event) {
    const x = event.clientX - this.plot.getBoundingClientRect().left;
    return this.nearest(this.steps, step => Math.abs(this.x(step) - x));
  }
  nearest(list, distance) {
    let best = null, least = Infinity;
    list.forEach((each, i) => {
      const d = distance(each);
      if (d < least) best = i, least = d;
    });
    return best;
  }

  // Says what every curve that is shown has at a step, or nearest to it.
  point(at) {
    this.at = at;
    this.guide.replaceChildren();
    if (at === null || this.steps[at] === undefined) {
      this.read.textContent = this.root.classList.contains('wide') ? 'Point at a chart, or use the arrow keys in it, to read its curves.' : '';
      return;
    }
    const step = this.steps[at], x = this.x(step).toFixed(1);
    this.guide.append(drawn('path', { class: 'guide', d: `M${x} ${this.top}V${this.bottom}` }));
    const said = [];
    for (const { curve, points } of this.shown) {
      const i = this.nearest(points, point => Math.abs(point[0] - step));
      if (i === null) continue;
      const [where, value] = points[i];
      const beside = where === step ? '' : ` (at ${where.toLocaleString('en')})`;
      said.push(`${curve.name || this.name} ${number(value)}${beside}`);
      this.guide.append(drawn('path', { d: marks[1], style: `fill: ${curve.look.colour}`, transform: `translate(${this.x(where).toFixed(1)} ${this.y(value).toFixed(1)})` }));
    }
    this.read.replaceChildren(element('strong', `step ${step.toLocaleString('en')}`), ' · ' + said.join(' · '));
  }

  key(event) {
    const last = this.steps.length - 1, leap = Math.max(1, Math.round(last / 10));
    const from = this.at === null ? { ArrowLeft: last + 1, PageDown: last + leap }[event.key] ?? -1 : this.at;
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, PageUp: from + leap, PageDown: from - leap, Home: 0, End: last }[event.key];
    if (event.key === 'Escape') return this.point(null);
    if (to === undefined || last < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    this.point(within(to, 0, last));
    event.preventDefault();
  }
}
)js";

}  // namespace tapehead
