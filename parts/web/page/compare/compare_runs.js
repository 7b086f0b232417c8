// Shows the result of `compare --json` for two runs: options, metrics, checkpoints, weights, and
// one example's pass through both models.

function tableOf(name, heads, rows) {
  const table = element('table', undefined, 'plain');
  const line = (cells, tag) => {
    const result = element('tr');
    result.append(...cells.map(cell => element(tag, cell)));
    return result;
  };
  table.append(element('caption', name), line(heads, 'th'), ...rows.map(row => line(row, 'td')));
  return scrolling(table, name);
}

const optionText = value => (value === null ? '–' : value === '' ? "''" : value);

// Draws the loss curves of both runs in one chart: A solid, B dashed.
function bothCurves(losses) {
  const lines = [['a', 'training'], ['b', 'held-out']].map(([of, style]) => ({
    style,
    points: losses
      .filter(each => Number.isFinite(each[of]))
      .map(each => ({ step: each.step, value: each[of] })),
  }));
  const steps = Math.max(...losses.map(({ step }) => step));
  const last = losses[losses.length - 1];
  const lastText = of => (Number.isFinite(last[of]) ? last[of].toPrecision(4) : 'none');
  const about = `losses over ${steps} steps, in the end A ${lastText('a')}, B ${lastText('b')}`;
  const size = { width: clamp(innerWidth - 32, 320, 640), height: 200 };
  const figure = element('figure');
  const caption = element('figcaption', 'Loss: A solid, B dashed', 'soft');
  figure.append(caption, drawnCurves(steps, lines, about, size));
  return figure;
}

function metricsParts({ lines_a, lines_b, first_step, first, losses }) {
  const counts = `${lines_a} in A and ${lines_b} in B`;
  if (losses.length === 0)
    return [element('p', `Metrics: ${counts} lines, none of the same step.`)];
  const common = `Metrics: ${losses.length} lines of common steps, ${counts}`;
  if (first_step === null) return [element('p', `${common}; all equal.`), bothCurves(losses)];
  const rows = first.slice(0, 6).map(({ name, a, b }) => [name, exactText(a), exactText(b)]);
  const more = first.length > 6 ? `; ${first.length - 6} more differ` : '';
  const name = `Differences at step ${first_step}${more}`;
  return [
    element('p', `${common}; they differ from step ${first_step} on.`),
    tableOf(name, ['metric', 'A', 'B'], rows),
    bothCurves(losses),
  ];
}

const stepName = ({ step_a, step_b }) =>
  step_a === step_b ? `step ${step_a}` : `steps ${step_a} and ${step_b}`;

// Returns the table row of a parameter that differs.
function weightRow({ name, difference }) {
  const { shape_a, shape_b, differing, elements, largest, relative } = difference;
  if (shape_a) return [name, `${shapeText(shape_a)} | ${shapeText(shape_b)}`, '', ''];
  const most = Number(Math.abs(largest.a - largest.b).toPrecision(2));
  return [
    name,
    `${differing} of ${elements}`,
    `${most} at [${largest.index.join(', ')}]`,
    typeof relative === 'number' ? relative.toPrecision(2) : relative,
  ];
}

function weightsParts({ common, only_a, only_b }, at) {
  const name = `Weights at ${stepName(at)}`;
  const differing = common.filter(({ difference }) => !difference.equal);
  const parts = [['only in A', only_a], ['only in B', only_b]]
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => element('p', `Weights ${what}: ${names.join(', ')}.`));
  if (differing.length === 0)
    return [element('p', `${name}: common weights are equal.`), ...parts];
  // Sorts "inf" (A's weights are all 0) and different shapes, without a number, first.
  const size = ({ difference: { relative } }) =>
    typeof relative === 'number' ? relative : Infinity;
  differing.sort((one, other) => size(other) - size(one) || 0);
  const rows = differing.slice(0, 8).map(weightRow);
  const more = differing.length > 8 ? `; ${differing.length - 8} more differ` : '';
  const heads = ['weights', 'elements that differ', 'largest difference', '|A - B| / |A|'];
  return [tableOf(name + more, heads, rows), ...parts];
}

function passParts(pass, at) {
  const { example, question, answer, loss_a, loss_b, own_examples_differ: differ } = pass;
  const read = question ? `${question} → ${answer}` : answer;
  const about =
    `Validation example ${example} through both models at ${stepName(at)}, in f64: ${read}. ` +
    `Loss: A ${loss_a}, B ${loss_b}.`;
  const parts = [element('h2', 'The pass'), element('p', about)];
  if (differ) parts.push(element('p', "B's example with this number differs; both read A's."));
  if (!pass.first_value) parts.push(element('p', 'All values are equal.'));
  return [...parts, ...comparedTapes(pass, 'op', true)];
}

function runsVerdict({ equal, options, metrics, checkpoints, pass }) {
  const { first_step, first, losses } = metrics;
  const last = checkpoints[checkpoints.length - 1];
  if (equal)
    return (
      `No differences: the options that affect the result, ${plural(losses.length, 'line')} of ` +
      `metrics and the weights are equal; the hash at step ${last.step_a} is ${last.digest_a}.`
    );
  const said = [];
  const names = options.map(({ name }) => name);
  const { step, why } = pass?.first_value ?? {};
  if (names.length > 0) said.push(`Options differ: ${names.join(', ')}.`);
  if (first_step !== null)
    said.push(`The metrics differ from step ${first_step} on, first in ${first[0].name}.`);
  if (step) said.push(`The first op that differs is ${step}: ${why}.`);
  return said.join(' ') || 'They differ; see below.';
}

function comparedRuns(document) {
  const { options, metrics, checkpoints, at, weights, pass, no_pass } = document;
  if (document.equal) return [bothCurves(metrics.losses)];
  const parts = [];
  const chosen = options.map(({ name, a, b }) => [name, optionText(a), optionText(b)]);
  if (chosen.length > 0) parts.push(tableOf('Options that differ', ['option', 'A', 'B'], chosen));
  parts.push(...metricsParts(metrics));
  const kept = checkpoints.map(each => {
    const { digest_a, digest_b, equal } = each;
    return [stepName(each), digest_a, digest_b, equal ? '=' : 'differ'];
  });
  const heads = ['step', 'weight hash of A', 'weight hash of B', ''];
  if (kept.length > 0) parts.push(tableOf('Checkpoints', heads, kept));
  if (at) parts.push(...weightsParts(weights, at));
  if (pass) parts.push(...passParts(pass, at));
  if (no_pass) parts.push(element('p', `No pass compared: ${no_pass}.`));
  return parts;
}
