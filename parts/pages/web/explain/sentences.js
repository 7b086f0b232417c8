// Explains in a sentence what an op does with the gradient it receives, from the numbers.

// Which text explains which op; `flat` ops compare their slope with the steepest one.
const gates = {
  tanh: 'flat',
  softplus: 'smooth',
  silu: 'smooth',
  maximum: 'route',
  minimum: 'route',
  amax: 'route',
  layer_norm: 'norm',
  rms_norm: 'norm',
  masked_fill: 'mask',
  where: 'mask',
};
const steepest = { tanh: 1, sigmoid: 0.25 };

// Returns which form of gelu a step computed; the forms differ by less than 0.0005.
function geluForm(trace, numbers, step) {
  const inputs = numbers.value(trace.steps[step].inputs[0]);
  const inner = x => Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3);
  const differs = (y, i) => Math.abs(y - (inputs[i] / 2) * (1 + Math.tanh(inner(inputs[i])))) > 4e-6;
  return numbers.value(step).some(differs) ? 'erf' : 'tanh';
}

// What flows along an edge for one use of a value: the numbers of one element, and its terms
// { gradient, slope }, whose products add up to `sent`.
function flowOf(trace, numbers, { step, input }, element = null) {
  const from = trace.steps[step].inputs[input];
  const all = numbers.sent(step, input);
  const index = element ?? largest(all);
  const upstream = numbers.gradient(step);
  const found = numbers.usesOf(step, input, index);
  const terms = found?.map(({ element: at, slope }) => ({ gradient: upstream[at], slope }));
  // A slope of zero isn't stored.
  if (terms?.length === 0 && trace.isScalar(step)) terms.push({ gradient: upstream[0], slope: 0 });
  return { step, input, from, index, sent: all[index], terms };
}

function sentenceOf(trace, numbers, flow, nameOf) {
  const { step, input, from, terms } = flow;
  const { op, inputs, summed } = trace.steps[step];
  const isScalar = trace.isScalar(step) && trace.isScalar(from);
  const slope = isScalar ? terms?.[0]?.slope : undefined;
  const other = inputs.find((each, i) => i !== input && each >= 0);
  const numberOf = at => (isScalar && at >= 0 ? numberText(numbers.value(at)[0]) : undefined);
  const gate = movingOps.has(op) ? 'move' : (gates[op] ?? op);
  const text = hasText(`gate.${gate}`) ? gate : 'other';
  const about = {
    op: opWord(op),
    input,
    slope,
    local: slope === undefined ? undefined : numberText(slope),
    part: slope === undefined ? 0.7 : Math.abs(slope) / (steepest[op] ?? 1),
    name: nameOf(from),
    other: numberOf(other ?? -1),
    otherName: other === undefined ? '' : nameOf(other),
    isSquare: inputs.length === 2 && inputs[0] === inputs[1],
    value: numberOf(from),
    result: numberOf(step),
    count: trace.sizeOf(from) / trace.sizeOf(step),
    form: op === 'gelu' ? geluForm(trace, numbers, step) : '',
  };
  const said = [t(`gate.${text}`, about)];
  if (summed?.[input]) said.push(t('broadcast', about.name, summed[input]));
  return said.join(' ');
}
