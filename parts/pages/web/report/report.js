// The page of `tapehead report`, from top to bottom.
const { runs } = data;
const several = runs.length > 1;

// Returns short names for the runs: the values of the options that differ; if these are too many or
// don't identify the runs, the ends of the runs' paths.
function differencesOfRuns() {
  const names = [...new Set(runs.flatMap(run => run.options.map(option => option.name)))];
  const valueOf = (run, name) => run.options.find(option => option.name === name)?.value || '–';
  const differing = names.filter(name => new Set(runs.map(run => valueOf(run, name))).size > 1);
  const values = runs.map(run => differing.map(name => valueOf(run, name)).join(', '));
  const isFew = differing.length > 0 && differing.length <= 3;
  const areShort = values.every(text => text.length <= 40);
  if (isFew && areShort && new Set(values).size === runs.length)
    return { heading: differing.join(', '), names: values };
  const paths = runs.map(run => run.name.split('/'));
  let shared = 0;
  while (paths.every(path => path.length > shared + 1 && path[shared] === paths[0][shared])) ++shared;
  return { heading: 'run', names: paths.map(path => path.slice(shared).join('/')) };
}
const differences = differencesOfRuns();

// ---- the top of the page

function header() {
  const tasks = new Set(runs.map(run => `${run.task}: ${run.summary}`));
  if (!several) tasks.add(runs[0].model);
  const title = several ? plural(runs.length, 'run') : runs[0].name;
  titled(title, ...(several ? [] : [stateOf(runs[0])]), make('p.soft', [...tasks].join(' · ')));
}

// Shows a run's state, such as finished, and the estimated remaining time.
function stateOf({ state, steps, left }) {
  const [done, all] = [steps.done, steps.all].map(each => each.toLocaleString('en'));
  return make(
    `p.state.${state}`,
    make('strong', state),
    !several && ` · step ${done} of ${all}`,
    state === 'running' && left && ` · ${left} left`,
  );
}

// ---- results

// Returns the commands to reproduce the runs; folded if there are several, to keep curves visible.
function commands() {
  const each = runs.map(run => {
    const heading = several ? `Command to reproduce ${run.name}` : 'Command to reproduce the run';
    const command = make('pre.box.wrap', { tabindex: 0 }, run.command);
    return make('div.labelled', make('p.soft', heading), command);
  });
  return several
    ? make('details', make('summary', 'Commands to reproduce the runs'), each)
    : make('div', each);
}

const fact = (value, more) => make('span', value, more && [' ', make('span.soft', more)]);

function factsOfOne() {
  const item = ([name, ...values]) => make('div', make('dt', name), make('dd', fact(...values)));
  return make('dl.facts', runs[0].facts.map(item));
}

function factsOfSeveral() {
  const names = [...new Set(runs.flatMap(run => run.facts.map(([name]) => name)))];
  const rows = runs.map((run, i) => {
    const facts = new Map(run.facts.map(([name, ...values]) => [name, fact(...values)]));
    const own = differences.names[i];
    const path = own !== run.name && [' ', make('span.soft', run.name)];
    const name = make('span', swatch(lookOf(i, 0)), ` ${own}`, path);
    return [name, stateOf(run), ...names.map(each => facts.get(each) ?? '–')];
  });
  const heading = differences.heading === 'run' ? 'Run' : differences.heading;
  return scrolling(table([heading, 'State', ...names], rows), 'Results of the runs');
}

function results() {
  const part = section('results', several ? 'Results' : 'Result');
  part.append(several ? factsOfSeveral() : factsOfOne(), commands());
  for (const run of runs)
    for (const note of run.notes)
      part.append(make('p.note', several ? `${run.name}: ${note}` : note));
}

// ---- curves

// With several runs, a run has a colour and dash pattern, and each of its curves a mark.
const lookOf = (run, index, isMarked) =>
  several ? lineLook(run, index) : curveLook(index, isMarked);

// Makes charts of all runs' curves over `axis`, in the order in which they first occur. The first
// chart is wide.
function makeCharts(curvesOf, axis, view) {
  const curves = runs.flatMap((run, runIndex) => {
    const counts = new Map(); // number of the run's curves in each chart
    return curvesOf(run).map(curve => {
      const index = counts.get(curve.chart) ?? 0;
      counts.set(curve.chart, index + 1);
      const look = lookOf(runIndex, index, curve.steps.length <= mostMarks);
      const label = [differences.names[runIndex], curve.name].filter(Boolean).join(' ');
      return { ...curve, look, ...(several ? { run: runIndex, label } : {}) };
    });
  });
  const charts = chartsOf(curves, axis, view);
  charts[0].root.classList.add('wide');
  return charts;
}

const quoted = text => (/[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

// Returns CSV with a line for each step of a run and a column for each quantity.
function csv() {
  const keys = [...new Set(runs.flatMap(run => curvesOfRun(run).map(curve => curve.key)))];
  const lines = [['run', 'step', ...keys].map(quoted).join(',')];
  for (const run of runs) {
    const rows = new Map();
    for (const { key, steps, values } of curvesOfRun(run))
      steps.forEach((step, i) => {
        if (!rows.has(step)) rows.set(step, {});
        rows.get(step)[key] = values[i];
      });
    for (const step of [...rows.keys()].sort((a, b) => a - b)) {
      const values = keys.map(key => rows.get(step)[key] ?? '');
      lines.push([quoted(run.name), step, ...values].join(','));
    }
  }
  return `${lines.join('\n')}\n`;
}

function download() {
  const name = several ? 'runs' : runs[0].name.split('/').pop() || 'run';
  save(`${name}.csv`, csv(), 'text/csv');
}

// With several runs, the axes ignore outliers at the beginning, to show the differences at the end.
const view = View.restored(several);

// Returns a run's curves: of its metrics, and of its heads' weights on their patterns.
const curvesOfRun = run => [...run.curves, ...(run.maps?.rules ?? [])];

function curvesPart() {
  if (!runs.some(run => run.curves.length)) return [];
  const bar = make('div.choose.controls', button('Download as CSV', download));
  const thinned = runs.flatMap(run => run.curves).filter(({ steps, of }) => steps.length < of);
  if (thinned.length) {
    const most = Math.max(...thinned.map(curve => curve.of)).toLocaleString('en');
    const note =
      `Downsampled from up to ${most} points per curve: minimum and maximum of each interval are ` +
      'drawn and downloaded.';
    bar.append(make('p.soft', note));
  }
  const charts = makeCharts(curvesOfRun, 'steps', view);
  const looks = runs.map((run, i) => lookOf(i, 0));
  const controls = new ViewControls(view, charts, { ...differences, looks });
  const grid = make('div.charts', charts.map(chart => chart.root));
  section('curves', 'Curves').append(controls.root, grid, bar);
  return charts;
}

// Returns curves of the last evaluation's metrics by answer position.
function curvesOfAnswer({ answer }) {
  if (!answer) return [];
  const chart = answer.quantity[0].toUpperCase() + answer.quantity.slice(1);
  return Object.entries(answer.lines).map(([name, values]) => {
    return { chart, unit: '', name, steps: [...values.keys()], values };
  });
}

function answerPart() {
  const axis = runs.map(run => run.answer?.axis).find(Boolean);
  if (!axis) return [];
  const charts = makeCharts(curvesOfAnswer, axis);
  const part = section('along', 'Metrics by answer position');
  part.append(make('p.soft', 'Mean over the validation examples at the last evaluation.'));
  part.append(...charts.map(chart => chart.root));
  return charts;
}

function lengthsOfRuns() {
  const curves = runs.map(({ lengths }, i) => {
    return { name: several ? differences.names[i] : '', look: lookOf(i, 0), lengths };
  });
  return lengthsPart(curves, 'Bands are 95 % intervals over examples.');
}

// ---- sections about one run at a time: attention maps, examples, model

// A section about one run, which the reader selects among the runs with has(run). fill(place, run)
// shows the run.
class PartOfOneRun {
  constructor(id, heading, has, fill) {
    this.runs = runs.filter(has);
    this.fill = fill;
    if (!this.runs.length) return;
    this.root = section(id, heading);
    this.place = make('div');
    if (this.runs.length > 1) {
      const choose = () => this.choose(this.runs[this.select.value]);
      this.select = make('select', { onchange: choose });
      setOptions(this.select, this.runs.map(run => run.name));
      this.root.append(make('div.choose.controls', labelled('Run', this.select)));
    } else if (several) {
      this.root.append(make('p.soft', this.runs[0].name));
    }
    this.root.append(this.place);
    this.choose(this.runs[0]);
  }

  choose(run) {
    this.run = run;
    if (this.select) this.select.value = this.runs.indexOf(run);
    this.fill(this.place, run);
  }
}

function showDistributions(place, run) {
  const part = distributionsPart(run.histograms);
  place.replaceChildren(part.root);
  part.show();
}

function showExamples(place, run) {
  const part = run.mistakes
    ? mistakesPart(run.mistakes, run.step)
    : samplesPart(run.samples, run.step);
  place.replaceChildren(part);
}

// Shows the texts generated at each evaluation, latest first.
function showTexts(place, { texts }) {
  const prompts = [...new Set(texts.flatMap(({ samples }) => samples.map(each => each.prompt)))];
  const rows = [...texts].reverse().map(({ step, samples }) => [
    step.toLocaleString('en'),
    ...prompts.map(prompt => {
      const found = samples.find(each => each.prompt === prompt);
      return found ? make('span.generated', found.text) : '–';
    }),
  ]);
  const head = ['Step', ...prompts.map(prompt => make('span.generated', prompt || 'Text'))];
  place.replaceChildren(scrolling(table(head, rows), 'Generated text by step'));
}

function showTree(place, run) {
  const attributes = { tabindex: 0, role: 'region', 'aria-label': 'The model as a tree' };
  place.replaceChildren(make('p.soft', run.model), make('pre.box', attributes, run.tree));
}

// Shows which program trained the run, where and when: a row for the start and each resume.
function showSessions(place, { sessions }) {
  const head = ['Step', 'Started (UTC)', 'Host', 'Version', 'Compiler', 'Commit', 'Command'];
  const rows = sessions.map(cells => cells.map(cell => cell || '–'));
  place.replaceChildren(scrolling(table(head, rows), 'Sessions of the run'));
}

// Makes the section of attention maps. The address contains their selection:
// #layer=0&head=1&example=1&step=200, with several runs also &run=name.
function mapsPart() {
  let maps = null;
  const part = new PartOfOneRun(
    'heads',
    'Attention maps',
    run => run.maps,
    (place, run) => {
      maps ??= new RunMaps(writeAddress);
      place.replaceChildren(maps.root);
      maps.show(run.maps);
    },
  );
  function writeAddress() {
    const run = several ? `&run=${encodeURIComponent(part.run.name)}` : '';
    history.replaceState(null, '', `#${maps.address}${run}`);
  }
  function readAddress() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (!maps || !wanted.has('layer')) return;
    const run = part.runs.find(each => each.name === wanted.get('run'));
    if (run) part.choose(run);
    maps.readAddress(wanted);
    part.root.scrollIntoView();
  }
  window.addEventListener('hashchange', readAddress);
  return readAddress;
}

// ---- configuration

const optionValue = value => (value === '' ? make('span.soft', 'empty') : make('code', value));

const details = (name, head, rows) =>
  make('details', make('summary', name), scrolling(table(head, rows, 'table.same'), name));

function optionsOfOne(part) {
  const row = ({ name, value, recipe, help }) => [
    name,
    optionValue(value),
    optionValue(recipe),
    make('span.help.soft', help),
  ];
  const { options, task } = runs[0];
  const own = options.filter(option => option.differs);
  const rest = options.filter(option => !option.differs);
  const head = ['Option', 'Value', 'Default', 'Meaning'];
  const them = rest.length === 1 ? 'its' : 'their';
  part.append(
    own.length
      ? scrolling(table(head, own.map(row)), 'Options that differ from the default configuration')
      : make('p', `All options have the defaults of the task ${task}.`),
    details(
      `${plural(rest.length, 'option')} with ${them} default or derived from other options`,
      head,
      rest.map(row),
    ),
  );
}

function optionsOfSeveral(part) {
  const names = [...new Set(runs.flatMap(run => run.options.map(option => option.name)))];
  const valueOf = (run, name) => run.options.find(option => option.name === name)?.value;
  const rows = names.map(name => [name, ...runs.map(run => valueOf(run, name))]);
  const tasks = runs.map(run => run.task);
  if (new Set(tasks).size > 1) rows.unshift(['task', ...tasks]);
  const differs = ([, ...values]) => new Set(values).size > 1;
  const line = ([name, ...values]) => [
    name,
    ...values.map(value => (value === undefined ? '–' : optionValue(value))),
  ];
  const unlike = rows.filter(differs).map(line);
  const alike = rows.filter(row => !differs(row)).map(line);
  const head = ['Option', ...runs.map(run => run.name)];
  part.append(
    unlike.length
      ? scrolling(table(head, unlike), 'Options that differ between the runs')
      : make('p', 'The runs have the same options.'),
    details(`${plural(alike.length, 'option')} with the same value in all runs`, head, alike),
  );
}

// ---- making the page

header();
results();
const charts = [...curvesPart(), ...answerPart(), ...lengthsOfRuns()];
new PartOfOneRun('distributions', 'Distributions', run => run.histograms, showDistributions);
new PartOfOneRun('samples', 'Samples by step', run => run.texts, showTexts);
const readAddress = mapsPart();
const isText = runs.every(run => run.samples || !run.mistakes);
new PartOfOneRun(
  'answers',
  isText ? 'Loss by token' : 'Mistakes',
  run => run.mistakes || run.samples,
  showExamples,
);
if (!several && runs[0].graph) {
  const part = section('gradients', 'Gradients');
  new Explainer(part.appendChild(make('div')), runs[0].graph, { keys: part });
}
new PartOfOneRun('model', 'Model', run => run.tree, showTree);
(several ? optionsOfSeveral : optionsOfOne)(section('configuration', 'Configuration'));
new PartOfOneRun('provenance', 'Provenance', run => run.sessions, showSessions);

for (const chart of charts) chart.draw();
readAddress();

// A page that reloads itself during training keeps its scroll position.
if (document.querySelector('meta[http-equiv=refresh]')) {
  scrollTo(0, remembered('scroll') ?? 0);
  window.addEventListener('pagehide', () => remember('scroll', scrollY));
}
window.addEventListener('beforeprint', () => {
  for (const each of document.querySelectorAll('details')) each.open = true;
});
