// The caption of a moment: what flows, as an equation and in a sentence.

const largestOf = numbers => numbers[largest(numbers)];

// Formats a flow as `4 × 0.42 = 1.68`; `names` puts words before the factors.
function equationOf({ sent, terms }, names = false) {
  const signed = number => (number < 0 ? `(${numberText(number)})` : numberText(number));
  const term = ({ gradient, slope }) =>
    names
      ? `${t('upstream')} ${numberText(gradient)} × ${t('local')} ${signed(slope)}`
      : `${numberText(gradient)} × ${signed(slope)}`;
  const total = numberText(sent);
  const used = terms?.filter(({ gradient, slope }) => gradient * slope !== 0) ?? [];
  if (used.length === 1 || terms?.length === 1) return `${term(used[0] ?? terms[0])} = ${total}`;
  if (used.length === 2 && !names) return `${used.map(term).join(' + ')} = ${total}`;
  if (used.length === 0) return total;
  if (used.length > 3 || !names) return t('sumOfTerms', used.length, total);
  return `${used.map(each => `${numberText(each.gradient)} × ${signed(each.slope)}`).join(' + ')} = ${total}`;
}

// Returns the paragraphs of the explainer's caption.
function captionOf(explainer) {
  const { now, trace } = explainer;
  if (now.isAll) return [make('p', t(trace.isPuzzle ? 'allPuzzle' : 'all'))];
  if (now.phase === 'forward') return [make('p', forwardText(explainer))];
  if (!now.edge) return [make('p', seedText(explainer))];
  if (trace.isPuzzle) return [make('p', t('allPuzzle'))];
  if (explainer.predicting.isAsking()) return explainer.predicting.caption();
  return [...explainer.predicting.verdict(), ...flowCaption(explainer)];
}

function forwardText({ now, trace, numbers, graph }) {
  const { unit } = now;
  if (unit.isBox) return t('boxComputes', graph.nameOf(unit));
  const { formula } = trace.steps[unit.step];
  const value = trace.isScalar(unit.step) ? numberText(numbers.value(unit.step)[0]) : undefined;
  return t('computes', graph.said(unit.step), formula, value);
}

function seedText({ trace, numbers, scope, graph }) {
  const { last } = trace;
  if (!scope.inside.has(last)) return t('seedOutside');
  const name = graph.said(last);
  return trace.isScalar(last) ? t('seed', name, numbers.gradient(last)[0]) : t('seedTensor', name);
}

// Explains the edge of this moment, also when the reader gave up predicting it.
function flowCaption(explainer) {
  const { now, trace, numbers, graph } = explainer;
  const { edge } = now;
  const name = graph.said(edge.source);
  const flow = explainer.flowAlong(edge);
  const head = make('p.equation', make('b', explainer.flowName(edge)), ' ');
  if (flow) {
    const isOne = trace.sizeOf(edge.source) === 1 && trace.isScalar(edge.source);
    if (!isOne) head.append(t('ofElement', trace.elementOf(edge.source, flow.index, name)), ': ');
    head.append(equationOf(flow, true));
  }
  const text = flow
    ? sentenceOf(trace, numbers, flow, step => graph.said(step))
    : t('boxSends', explainer.userOf(edge), numberText(rootMeanSquare(explainer.sentAlong(edge))));
  const sum = fanOutText(explainer, edge);
  return [head, make('p', text), ...(sum ? [make('p.mark', sum)] : [])];
}

const rootMeanSquare = numbers =>
  Math.sqrt(numbers.reduce((sum, each) => sum + each * each, 0) / numbers.length);

// Tells how many of the gradients of a value with several uses have arrived, and their sum.
function fanOutText(explainer, { source }) {
  const { timeline, trace, numbers, moment, graph } = explainer;
  const edges = timeline.edgesFrom.get(source) ?? [];
  if (edges.length < 2) return '';
  const come = edges.filter(edge => timeline.backwardAt.get(edge) <= moment);
  const name = graph.said(source);
  if (come.length < edges.length) return t('fanOutWait', name, come.length, edges.length);
  if (!trace.isScalar(source)) return t('fanOutTensor', name, edges.length);
  const order = (a, b) => timeline.backwardAt.get(a) - timeline.backwardAt.get(b);
  const terms = [...edges].sort(order).map(edge => numberText(explainer.sentAlong(edge)[0]));
  return t('fanOut', name, terms, numberText(numbers.gradient(source)[0]));
}
