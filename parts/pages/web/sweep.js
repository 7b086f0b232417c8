// The page of a sweep: charts of settings against results, and the table.
const { sweep } = data;

function header() {
  document.querySelector('h1').textContent = sweep.folder;
  const combinations = plural(sweep.names.length, 'combination');
  const each = plural(sweep.charts[0].combinations[0].results.length, 'run');
  const summary = element('p', `${sweep.task} · ${combinations} of ${each}`, 'soft');
  const nav = attributed(element('nav'), { 'aria-label': 'Sections' });
  document.querySelector('h1').after(summary, nav);
}

// The ends of the axis: all of what can be for a fraction, else what there is and some room.
function ends({ measure, combinations }) {
  if (measure === 'Exact match') return [0, 1];
  const values = combinations.flatMap(({ results }) => results).filter(Number.isFinite);
  if (!values.length) return [0, 1]; // all have diverged
  const low = Math.min(...values);
  const high = Math.max(...values);
  const room = (high - low) * 0.06 || Math.abs(low) / 10 || 1;
  return [low >= 0 && low < room ? 0 : low - room, high + room];
}

// A line for each combination: a dot for each run, a stroke at their median.
class Results {
  constructor(chart) {
    this.chart = chart;
    this.root = element('figure', undefined, 'chart wide');
    const caption = element('figcaption');
    const unit = chart.measure === 'Exact match' ? 'of held-out' : 'nats per token';
    const heading = element('h3', chart.measure);
    heading.append(' ', element('span', unit, 'soft'));
    caption.append(heading);
    this.plot = element('div', undefined, 'plot');
    const hint = 'A dot is a run, a stroke the median of its combination.';
    this.root.append(caption, this.plot, element('p', hint, 'read soft'));
  }

  draw() {
    const width = Math.max(this.plot.clientWidth, 240);
    const widest = Math.max(...sweep.names.map(name => name.length));
    const isNarrow = 12 + 7 * widest > width / 2; // then names stand above their lines
    const left = isNarrow ? 12 : 12 + 7 * widest;
    const right = width - 24;
    const line = isNarrow ? 40 : 26;
    const bottom = 8 + line * sweep.names.length;
    const height = bottom + 26;
    const [low, high] = ends(this.chart);
    const x = value => left + ((value - low) / (high - low)) * (right - left);
    const label = `${this.chart.measure} of each combination; the table below has the numbers`;
    const svg = drawn('svg', {
      viewBox: `0 0 ${width} ${height}`,
      height,
      role: 'img',
      'aria-label': label,
    });
    for (const tick of ticks(low, high, (right - left) / 80)) {
      const at = x(tick).toFixed(1);
      svg.append(
        drawn('path', { class: 'grid', d: `M${at} 4V${bottom}` }),
        drawn('text', { x: at, y: bottom + 18, 'text-anchor': 'middle' }, short(tick)),
      );
    }
    svg.append(drawn('path', { class: 'axis', d: `M${left} 4V${bottom}H${right}` }));
    const look = { colour: 'var(--c0)' };
    const most = Math.floor((isNarrow ? width - 16 : left - 12) / 7);
    this.chart.combinations.forEach(({ results, median }, i) => {
      const y = 8 + line * (i + 1) - 13;
      const name = sweep.names[i];
      const shown = name.length > most ? `${name.slice(0, most - 1)}…` : name;
      const place = isNarrow
        ? { x: left + 4, y: y - 12, 'text-anchor': 'start' }
        : { x: left - 8, y: y + 4, 'text-anchor': 'end' };
      svg.append(drawn('text', place, shown));
      if (Number.isFinite(median))
        svg.append(drawnLine(look, `M${x(median).toFixed(1)} ${y - 9}v18`));
      for (const result of results.filter(Number.isFinite))
        svg.append(drawnMark(look, marks[1], `${x(result).toFixed(1)} ${y}`));
    });
    this.plot.replaceChildren(svg);
  }
}

header();
const charts = sweep.charts.map(chart => new Results(chart));
section('results', 'Settings and results').append(...charts.map(chart => chart.root));
const [head, ...rows] = sweep.table;
section('table', 'Table').append(scrolling(table(head, rows), 'Results of the combinations'));
const draw = () => charts.forEach(chart => chart.draw());
draw();
window.addEventListener('resize', draw);
