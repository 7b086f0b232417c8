// Shows the result of `compare --json` for two runs: options, metrics, checkpoints, weights, and
// one example's pass through both models.

const runsTexts = t('comparedRuns');

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
  const lastText = of => (Number.isFinite(last[of]) ? last[of].toPrecision(4) : runsTexts.none);
  const about = runsTexts.losses(steps, lastText('a'), lastText('b'));
  const size = { width: clamp(innerWidth - 32, 320, 640), height: 200 };
  const figure = element('figure');
  const caption = element('figcaption', runsTexts.lossOfBoth, 'soft');
  figure.append(caption, drawnCurves(steps, lines, about, size));
  return figure;
}

function metricsParts({ lines_a, lines_b, first_step, first, losses }) {
  const texts = runsTexts;
  if (losses.length === 0) return [element('p', texts.noCommonStep(lines_a, lines_b))];
  const counts = [losses.length, lines_a, lines_b];
  if (first_step === null)
    return [element('p', texts.metricsEqual(...counts)), bothCurves(losses)];
  const rows = first.slice(0, 6).map(({ name, a, b }) => [name, exactText(a), exactText(b)]);
  const more = first.length > 6 ? texts.more(first.length - 6) : '';
  return [
    element('p', texts.metricsUnlike(...counts, first_step)),
    tableOf(texts.atStep(first_step, more), texts.metricHeads, rows),
    bothCurves(losses),
  ];
}

const stepName = ({ step_a, step_b }) =>
  step_a === step_b ? runsTexts.step(step_a) : runsTexts.steps(step_a, step_b);

// Returns the table row of a parameter that differs.
function weightRow({ name, difference }) {
  const { shape_a, shape_b, differing, elements, largest, relative } = difference;
  if (shape_a) return [name, `${shapeText(shape_a)} | ${shapeText(shape_b)}`, '', ''];
  const most = Number(Math.abs(largest.a - largest.b).toPrecision(2));
  return [
    name,
    runsTexts.ofElements(differing, elements),
    compareTexts.at(most, `[${largest.index.join(', ')}]`),
    typeof relative === 'number' ? relative.toPrecision(2) : relative,
  ];
}

function weightsParts({ common, only_a, only_b }, at) {
  const texts = runsTexts;
  const differing = common.filter(({ difference }) => !difference.equal);
  const parts = Object.entries({ a: only_a, b: only_b })
    .filter(([, names]) => names.length > 0)
    .map(([of, names]) => element('p', texts.weightsOf[of](names.join(', '))));
  if (differing.length === 0)
    return [element('p', texts.weightsEqual(stepName(at))), ...parts];
  // Sorts "inf" (A's weights are all 0) and different shapes, without a number, first.
  const size = ({ difference: { relative } }) =>
    typeof relative === 'number' ? relative : Infinity;
  differing.sort((one, other) => size(other) - size(one) || 0);
  const rows = differing.slice(0, 8).map(weightRow);
  const more = differing.length > 8 ? texts.more(differing.length - 8) : '';
  return [tableOf(texts.weights(stepName(at)) + more, texts.weightHeads, rows), ...parts];
}

function passParts(pass, at) {
  const { example, question, answer, loss_a, loss_b, own_examples_differ: differ } = pass;
  const read = question ? `${question} → ${answer}` : answer;
  const texts = runsTexts;
  const about = texts.passAbout(example, stepName(at), read, loss_a, loss_b);
  const parts = [element('h2', texts.pass), element('p', about)];
  if (differ) parts.push(element('p', texts.otherExample));
  if (!pass.first_value) parts.push(element('p', texts.valuesEqual));
  return [...parts, ...comparedTapes(pass, 'op', true)];
}

function runsVerdict({ equal, options, metrics, checkpoints, pass }) {
  const { first_step, first, losses } = metrics;
  const last = checkpoints[checkpoints.length - 1];
  if (equal)
    return runsTexts.same(losses.length, last.step_a, last.digest_a);
  const said = [];
  const names = options.map(({ name }) => name);
  const { step, why } = pass?.first_value ?? {};
  if (names.length > 0) said.push(runsTexts.optionsDiffer(names.join(', ')));
  if (first_step !== null) said.push(runsTexts.metricsDiffer(first_step, first[0].name));
  if (step) said.push(runsTexts.firstOp(step, why));
  return said.join(' ') || runsTexts.seeBelow;
}

function comparedRuns(document) {
  const { options, metrics, checkpoints, at, weights, pass, no_pass } = document;
  if (document.equal) return [bothCurves(metrics.losses)];
  const texts = runsTexts;
  const parts = [];
  const chosen = options.map(({ name, a, b }) => [name, optionText(a), optionText(b)]);
  if (chosen.length > 0) parts.push(tableOf(texts.options, texts.optionHeads, chosen));
  parts.push(...metricsParts(metrics));
  const kept = checkpoints.map(each => {
    const { digest_a, digest_b, equal } = each;
    return [stepName(each), digest_a, digest_b, equal ? '=' : texts.differ];
  });
  if (kept.length > 0) parts.push(tableOf(texts.checkpoints, texts.checkpointHeads, kept));
  if (at) parts.push(...weightsParts(weights, at));
  if (pass) parts.push(...passParts(pass, at));
  if (no_pass) parts.push(element('p', texts.noPass(no_pass)));
  return parts;
}
