// Jacobians of softmax and normalization, for the row that contains the selected element. All
// results in a row depend on the same inputs.
const withJacobian = new Set(['softmax', 'log_softmax', 'logsumexp', 'layer_norm', 'rms_norm']);

function jacobians(page) {
  const { step, index, numbers, trace } = page;
  if (page.predicting.isAsking()) return [];
  const isKnown = at => page.stateOf('value', at) === 'shown';
  const found = [];
  const hasSlopes = withJacobian.has(trace.steps[step].op) && numbers.slopes(step, 0) !== null;
  if (hasSlopes && isKnown(step)) found.push(...jacobianAround(trace, numbers, step, index));
  for (const { module, from, to, row, width, slopes } of numbers.norms)
    if (module === trace.steps[step].module && isKnown(to)) {
      const places = Array.from({ length: width }, (_, i) => row * width + i);
      const title = t('jacobianOf', module, row, to, from);
      found.push(jacobian(trace, title, [to, places], [from, places], trace.list(slopes)));
    }
  return found;
}

// Returns the Jacobian of the row that contains an element of a step's result; none without slopes.
function jacobianAround(trace, numbers, step, index) {
  const placesOf = terms => [...new Set(terms.map(term => term.element))].sort((a, b) => a - b);
  // If the element depends on no input, because it is masked or alone in its row, shows the row
  // with the largest slope.
  const { results: all, numbers: slopes } = numbers.pairs(numbers.slopes(step, 0));
  const around = numbers.termsOf(step, 0, index).length > 0 ? index : all[largest(slopes)];
  if (around === undefined) return [];
  const near = placesOf(numbers.termsOf(step, 0, around));
  const results = placesOf(near.flatMap(place => numbers.usesOf(step, 0, place)));
  const inputs = placesOf(results.flatMap(result => numbers.termsOf(step, 0, result)));
  const matrix = new Float64Array(results.length * inputs.length);
  results.forEach((result, row) => {
    for (const term of numbers.termsOf(step, 0, result))
      matrix[row * inputs.length + inputs.indexOf(term.element)] = term.slope;
  });
  const title = t('jacobianAround', trace.shortName(step), trace.elementOf(step, around, ''));
  return [jacobian(trace, title, [step, results], [trace.steps[step].inputs[0], inputs], matrix)];
}

// Returns a folded Jacobian; rows are elements of a result, columns are elements of an input.
function jacobian(trace, title, [step, results], [from, inputs], numbers) {
  const box = make('details.jacobian', make('summary', { onclick: show }, title));
  function show() {
    if (box.children.length > 1) return;
    const nameOf = i => {
      const name = (of, at) => trace.elementOf(of, at, trace.shortName(of));
      const result = name(step, results[Math.floor(i / inputs.length)]);
      return t('jacobianEntry', result, name(from, inputs[i % inputs.length]));
    };
    const shape = [results.length, inputs.length];
    const map = new TensorMap({ name: title, shape, numbers, nameOf });
    box.append(make('p.soft', t('jacobianNote')), map.root);
  }
  return box;
}
