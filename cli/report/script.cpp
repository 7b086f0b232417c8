#include "page_parts.hpp"

namespace tapehead {

// The page from top to bottom.
const char* const report_script = R"js(
const several = runs.length > 1;

// ---- results

function commands() {
  const result = element('div');
  for (const run of runs) {
    const part = element('div', undefined, 'labelled');
    part.append(element('p', several ? `To train ${run.name} again` : 'To train it again', 'soft'));
    const command = element('pre', run.command, 'box wrap');
    command.tabIndex = 0;
    part.append(command);
    result.append(part);
  }
  return result;
}

function fact(value, more) {
  const result = element('span', value);
  if (more) result.append(' ', element('span', more, 'soft'));
  return result;
}

function results() {
  const part = section('results', several ? 'Results' : 'Result');
  if (several) {
    const names = [...new Set(runs.flatMap(run => run.facts.map(fact => fact[0])))];
    const rows = runs.map((run, i) => {
      const facts = new Map(run.facts.map(([name, ...values]) => [name, fact(...values)])), name = element('span'), swatch = drawn('svg', { width: 34, height: 12, 'aria-hidden': true });
      swatch.append(drawn('path', { ...stroke(look(i, 0)), d: 'M0 6h34' }));
      name.append(swatch, ' ' + run.name);
      return [name, ...names.map(each => facts.get(each) ?? '–')];
    });
    part.append(scrolling(table(['Run', ...names], rows), 'Results of the runs'));
  } else {
    const list = element('dl', undefined, 'facts');
    for (const [name, value, more] of runs[0].facts) {
      const item = element('div'), said = element('dd');
      said.append(fact(value, more));
      item.append(element('dt', name), said);
      list.append(item);
    }
    part.append(list);
  }
  part.append(commands());
  for (const run of runs)
    for (const note of run.notes) part.append(element('p', several ? `${run.name}: ${note}` : note, 'note'));
}

// ---- curves

// By chart, in the order of the first run that has it.
function charts() {
  const found = new Map();
  runs.forEach((run, number) => {
    const places = new Map();
    for (const curve of run.curves) {
      if (!found.has(curve.chart)) found.set(curve.chart, { unit: curve.unit, curves: [] });
      const { curves } = found.get(curve.chart), place = places.get(curve.chart) ?? 0;
      places.set(curve.chart, place + 1);
      const name = several ? [run.name, curve.name].filter(Boolean).join(' · ') : curve.name;
      curves.push({ ...curve, name, look: look(number, place, curve.steps.length <= mostMarks) });
    }
  });
  Chart.steps = stepsOf(runs.flatMap(run => run.curves));
  return [...found].map(([name, { unit, curves }]) => new Chart(name, unit, curves));
}

const quoted = text => /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
// One line a step, one column a quantity.
function csv() {
  const keys = [...new Set(runs.flatMap(run => run.curves.map(curve => curve.key)))];
  const lines = [['run', 'step', ...keys].map(quoted).join(',')];
  for (const run of runs) {
    const rows = new Map();
    run.curves.forEach(curve => curve.steps.forEach((step, i) => {
      if (!rows.has(step)) rows.set(step, {});
      rows.get(step)[curve.key] = curve.values[i];
    }));
    for (const step of [...rows.keys()].sort((a, b) => a - b))
      lines.push([quoted(run.name), step, ...keys.map(key => rows.get(step)[key] ?? '')].join(','));
  }
  return lines.join('\n') + '\n';
}
function download() {
  const link = element('a');
  link.href = URL.createObjectURL(new Blob([csv()], { type: 'text/csv' }));
  link.download = (several ? 'runs' : runs[0].name.split('/').pop() || 'run') + '.csv';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function curvesPart() {
  if (!runs.some(run => run.curves.length)) return [];
  const part = section('curves', 'Curves'), all = charts(), grid = element('div', undefined, 'charts');
  const bar = element('div', undefined, 'choose controls');
  bar.append(button('Download as CSV', download));
  const thinned = runs.flatMap(run => run.curves).filter(curve => curve.steps.length < curve.of);
  if (thinned.length) {
    const most = Math.max(...thinned.map(curve => curve.of));
    bar.append(element('p', `Of up to ${most.toLocaleString('en')} points a curve, the smallest and largest of each stretch are drawn, and downloaded.`, 'soft'));
  }
  all[0].root.classList.add('wide');
  grid.append(...all.map(chart => chart.root));
  part.append(bar, grid);
  return all;
}

// ---- what is of one run at a time: its maps, its answers, its model

function onePart(id, heading, has, fill) {
  const able = runs.filter(has);
  if (!able.length) return;
  const part = section(id, heading), place = element('div');
  if (able.length > 1) {
    const choice = options(element('select'), able.map(run => run.name));
    choice.addEventListener('change', () => fill(place, able[choice.value]));
    const bar = element('div', undefined, 'choose controls');
    bar.append(labelled('Run', choice));
    part.append(bar);
  } else if (several) {
    part.append(element('p', able[0].name, 'soft'));
  }
  part.append(place);
  fill(place, able[0]);
}

let maps = null;
function showMaps(place, run) {
  maps = new Maps(run.maps);
  place.replaceChildren(maps.root);
  maps.choose({});
}
function showExamples(place, run) {
  place.replaceChildren(run.mistakes ? mistakesPart(run.mistakes, run.step) : samplesPart(run.samples, run.step));
}
function showTree(place, run) {
  const tree = element('pre', run.tree, 'box');
  tree.tabIndex = 0;
  tree.setAttribute('role', 'region');
  tree.setAttribute('aria-label', 'The model as a tree');
  place.replaceChildren(element('p', run.model, 'soft'), tree);
}

// ---- configuration

const shown = value => value === '' ? element('span', 'empty', 'soft') : element('code', value);
function configuration() {
  const part = section('configuration', 'Configuration');
  const details = (name, content) => {
    const result = element('details');
    result.append(element('summary', name), scrolling(content, name));
    return result;
  };
  if (!several) {
    const row = option => [option.name, shown(option.value), shown(option.recipe), element('span', option.help, 'help soft')];
    const own = runs[0].options.filter(option => option.differs), rest = runs[0].options.filter(option => !option.differs);
    const head = ['Option', 'Here', 'Recipe', ''];
    part.append(own.length ? scrolling(table(head, own.map(row)), 'Options that differ from the recipe')
                           : element('p', `All options are as the recipe of ${runs[0].task} has them.`));
    part.append(details(`${plural(rest.length, 'option')} as the recipe has ${rest.length === 1 ? 'it' : 'them'}, or as follows from the others`, table(head, rest.map(row), () => 'same')));
    return;
  }
  const names = [...new Set(runs.flatMap(run => run.options.map(option => option.name)))];
  const rows = names.map(name => [name, ...runs.map(run => run.options.find(option => option.name === name)?.value)]);
  if (new Set(runs.map(run => run.task)).size > 1) rows.unshift(['task', ...runs.map(run => run.task)]);
  const differ = ([, ...values]) => new Set(values).size > 1;
  const line = ([name, ...values]) => [name, ...values.map(value => value === undefined ? '–' : shown(value))];
  const head = ['Option', ...runs.map(run => run.name)];
  const unlike = rows.filter(differ), alike = rows.filter(row => !differ(row));
  part.append(unlike.length ? scrolling(table(head, unlike.map(line)), 'Options that differ between the runs')
                            : element('p', 'The runs have the same options.'));
  part.append(details(`${plural(alike.length, 'option')} that they share`, table(head, alike.map(line), () => 'same')));
}

// ---- the page

document.querySelector('h1').textContent = several ? plural(runs.length, 'run') : runs[0].name;
document.querySelector('#summary').textContent = several
  ? [...new Set(runs.map(run => `${run.task}: ${run.summary}`))].join(' · ')
  : `${runs[0].task}: ${runs[0].summary} · ${runs[0].model}`;
results();
const allCharts = curvesPart();
onePart('heads', 'What the heads look at', run => run.maps, showMaps);
onePart('answers', runs.every(run => run.samples || !run.mistakes) ? 'Text, symbol by symbol' : 'Mistakes', run => run.mistakes || run.samples, showExamples);
onePart('model', 'Model', run => run.tree, showTree);
configuration();

const drawAll = () => {
  for (const chart of allCharts) chart.draw();
};
drawAll();
let width = innerWidth;
window.addEventListener('resize', () => {
  if (innerWidth === width) return;
  width = innerWidth;
  drawAll();
  if (maps) maps.layOut();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => maps && maps.show());
window.addEventListener('beforeprint', () => {
  for (const each of document.querySelectorAll('details')) each.open = true;
});
)js";

}  // namespace tapehead
