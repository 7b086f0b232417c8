// The page of a sweep: charts of results by setting, curves, and a table.
const { sweep } = data;

function header() {
  const combinations = plural(sweep.names.length, 'combination');
  const each = plural(sweep.charts[0].combinations[0].results.length, 'run');
  titled(sweep.folder, make('p.soft', `${sweep.task} · ${combinations} of ${each}`));
}

// Returns the ends of a measure's axis: 0 and 1 for a fraction, otherwise its range with a margin.
function ends({ measure, combinations }) {
  if (measure === 'Exact match') return [0, 1];
  const values = combinations.flatMap(({ results }) => results).filter(Number.isFinite);
  if (!values.length) return [0, 1]; // all runs diverged
  const low = Math.min(...values);
  const high = Math.max(...values);
  const room = (high - low) * 0.06 || Math.abs(low) / 10 || 1;
  return [low >= 0 && low < room ? 0 : low - room, high + room];
}

// A chart with a line for each combination: a dot for each run, and a stroke at the median.
class Results {
  constructor(chart) {
    this.chart = chart;
    const unit = chart.measure === 'Exact match' ? 'of validation examples' : 'nats per token';
    const about = make('span.soft', `${unit}, ${sweep.by} evaluation of each run`);
    this.plot = make('div.plot');
    const several = chart.combinations.some(({ margin }) => margin !== null);
    const interval = ', bars: 95 % confidence interval of the mean';
    const givenUp = ' Faint runs were stopped early, at the step in the table.';
    const hint =
      `Dots: runs, strokes: median of a combination${several ? interval : ''}.` +
      (chart.combinations.some(({ stopped }) => stopped) ? givenUp : '');
    const caption = make('figcaption', make('h3', chart.measure, ' ', about));
    this.root = make('figure.chart.wide', caption, this.plot, make('p.read.soft', hint));
    drawToFit(this.plot, () => this.draw());
  }

  draw() {
    const width = Math.max(this.plot.clientWidth, 240);
    const widest = Math.max(...sweep.names.map(name => name.length));
    const isNarrow = 12 + 7 * widest > width / 2; // wide names are above their lines
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
    const look = lineLook(0);
    const most = Math.floor((isNarrow ? width - 16 : left - 12) / 7);
    this.chart.combinations.forEach(({ results, median, mean, margin, stopped }, i) => {
      const y = 8 + line * (i + 1) - 13;
      const name = sweep.names[i];
      const shown = name.length > most ? `${name.slice(0, most - 1)}…` : name;
      const place = isNarrow
        ? { x: left + 4, y: y - 12, 'text-anchor': 'start' }
        : { x: left - 8, y: y + 4, 'text-anchor': 'end' };
      const row = drawn('g', stopped ? { class: 'stopped' } : {});
      svg.append(drawn('text', place, shown), row);
      if (Number.isFinite(mean) && Number.isFinite(margin)) {
        const [from, to] = [mean - margin, mean + margin].map(end => x(clamp(end, low, high)));
        row.append(drawn('path', { class: 'margin', d: `M${from.toFixed(1)} ${y}H${to.toFixed(1)}` }));
      }
      if (Number.isFinite(median))
        row.append(drawnLine(look, `M${x(median).toFixed(1)} ${y - 9}v18`));
      for (const result of results.filter(Number.isFinite))
        row.append(drawnMark(look, marks[1], `${x(result).toFixed(1)} ${y}`));
    });
    this.plot.replaceChildren(svg);
  }
}

// Returns charts of the best combinations' curves, with bands if a combination has several runs.
function curveCharts(view) {
  const curves = sweep.curves.map(curve => {
    const run = sweep.ranking.indexOf(curve.combination);
    const label = sweep.names[curve.combination];
    return { ...curve, name: '', label, run, look: lineLook(run) };
  });
  return chartsOf(curves, 'steps', view);
}

function curvesPart() {
  const view = View.restored(true);
  const made = curveCharts(view);
  if (!made.length) return [];
  const shown = new Set(sweep.curves.map(curve => curve.combination)).size;
  const last = Math.max(...sweep.curves.map(curve => sweep.ranking.indexOf(curve.combination)));
  const names = sweep.ranking.slice(0, last + 1).map(combination => sweep.names[combination]);
  const looks = names.map((_, rank) => lineLook(rank));
  const controls = new ViewControls(view, made, { names, looks });
  const which =
    shown < sweep.names.length ? `The best ${shown} of ${sweep.names.length} combinations. ` : '';
  const several = sweep.runs[0].length > 1;
  const band = several
    ? 'Lines: mean over the seeds; bands: from the lowest to the highest.'
    : '';
  const grid = make('div.charts', made.map(chart => chart.root));
  section('curves', 'Curves').append(make('p.soft', which + band), controls.root, grid);
  return made;
}

// Adds accuracy by length of the best combinations.
function lengthsOfBest() {
  const mostCurves = 8; // one per colour
  const curves = sweep.ranking.slice(0, mostCurves).map((combination, rank) => ({
    name: sweep.names[combination],
    look: lineLook(rank),
    lengths: sweep.by_length[combination],
  }));
  const several = sweep.runs[0].length > 1;
  const which =
    curves.length < sweep.names.length
      ? `The best ${curves.length} of ${sweep.names.length} combinations. `
      : '';
  const bands = several
    ? 'Lines: mean over the seeds; bands: its 95 % confidence interval.'
    : 'Bands are 95 % intervals over examples.';
  return lengthsPart(curves, which + bands);
}

// Returns the seeds of a combination's runs, as links to the runs that have a page.
function runLinks(runs) {
  const link = ({ seed, folder, has_page: hasPage }) => {
    const href = hasPage ? `${encodeURIComponent(folder)}/report.html` : undefined;
    return make(hasPage ? 'a' : 'span', { href }, `seed ${seed}`);
  };
  return make('span', runs.flatMap(run => [link(run), ' ']));
}

// Makes a table sortable: pressing a heading sorts by its column, in ascending, then in descending
// order. Columns of texts are sorted alphabetically; in others, cells without a number come last.
function sortable(root, texts) {
  const body = root.querySelector('tbody');
  const rows = [...body.rows].map((row, i) => ({ row, texts: texts[i] }));
  const headings = [...root.querySelectorAll('thead th')].slice(0, texts[0].length);
  headings.forEach((heading, column) => {
    const numbers = rows.some(({ texts: each }) => Number.isFinite(parseFloat(each[column])));
    const compare = (a, b) => {
      if (!numbers) return a[column].localeCompare(b[column]);
      const [left, right] = [parseFloat(a[column]), parseFloat(b[column])];
      return Number.isNaN(left) - Number.isNaN(right) || left - right;
    };
    const sort = button(heading.textContent, () => {
      const down = heading.getAttribute('aria-sort') === 'ascending';
      for (const each of headings) each.removeAttribute('aria-sort');
      heading.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const last = text => numbers && Number.isNaN(parseFloat(text[column]));
      rows.sort((a, b) =>
        down && !last(a.texts) && !last(b.texts)
          ? compare(b.texts, a.texts)
          : compare(a.texts, b.texts),
      );
      body.append(...rows.map(({ row }) => row));
    });
    heading.replaceChildren(sort);
  });
}

function tablePart() {
  const [head, ...rows] = sweep.table;
  const part = section('table', 'Table');
  if (sweep.best !== null)
    part.append(make('p.soft', `Best combination, shaded: ${sweep.names[sweep.best]}`));
  const all = rows.map((row, i) => [...row, runLinks(sweep.runs[i])]);
  const root = table([...head, 'runs'], all, 'table.sortable');
  if (sweep.best !== null) root.querySelectorAll('tbody tr')[sweep.best].classList.add('best');
  sortable(root, rows);
  part.append(scrolling(root, 'Results of the combinations'));
  if (!sweep.runs.flat().some(run => run.has_page))
    part.append(
      make('p.soft', 'With --reports, a sweep writes a page for each run and links it here.'),
    );
}

header();
const results = sweep.charts.map(chart => new Results(chart));
section('results', 'Settings and results').append(...results.map(chart => chart.root));
const charts = [...results, ...curvesPart(), ...lengthsOfBest()];
tablePart();
for (const chart of charts) chart.draw();
