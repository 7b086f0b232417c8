// Jacobians of softmax and normalization, for the row that contains the selected element. All
// results in a row depend on the same inputs.
const withJacobian = new Set(['softmax', 'log_softmax', 'logsumexp', 'layer_norm', 'rms_norm']);

function jacobians(page) {
  const { step, numbers, trace } = page;
  const { steps } = trace;
  const isKnown = (at, has) => has && page.stateOf('value', at) === 'shown';
  const found = [];
  const isAsking = page.predicting.isAsking();
  if (isKnown(step, withJacobian.has(steps[step].op)) && !isAsking && numbers.slopes(step, 0) !== null) {
    const { step: of, index } = page.element;
    const placesOf = terms => [...new Set(terms.map(term => term.element))].sort((a, b) => a - b);
    const uses = of === steps[step].inputs[0] ? numbers.usesOf(step, 0, index) : [];
    let around = of === step ? index : uses[0]?.element;
    // If the element depends on no input, because it is masked or alone in its row, shows the row
    // with the largest slope.
    const { results: all, numbers: slopes } = numbers.pairs(numbers.slopes(step, 0));
    if (around === undefined || numbers.termsOf(step, 0, around).length === 0)
      around = all[largest(slopes)];
    const near = around === undefined ? [] : placesOf(numbers.termsOf(step, 0, around));
    const results = placesOf(near.flatMap(place => numbers.usesOf(step, 0, place)));
    const inputs = placesOf(results.flatMap(result => numbers.termsOf(step, 0, result)));
    const matrix = new Float64Array(results.length * inputs.length);
    results.forEach((result, row) => {
      for (const term of numbers.termsOf(step, 0, result))
        matrix[row * inputs.length + inputs.indexOf(term.element)] = term.slope;
    });
    if (inputs.length > 0)
      found.push(
        jacobian(
          trace,
          t('jacobianAround', trace.shortName(step), trace.elementOf(step, around, '')),
          step,
          steps[step].inputs[0],
          results,
          inputs,
          matrix,
        ),
      );
  }
  for (const { module, from, to, row, width, slopes } of numbers.norms)
    if (isKnown(to, module === steps[step].module) && !isAsking) {
      const places = Array.from({ length: width }, (_, i) => row * width + i);
      const title = t('jacobianOf', module, row, to, from);
      found.push(jacobian(trace, title, to, from, places, places, trace.list(slopes)));
    }
  return found;
}

// Returns a folded Jacobian; rows are results, columns are inputs.
function jacobian(trace, title, step, from, results, inputs, numbers) {
  const box = element('details', undefined, 'jacobian');
  box.append(element('summary', title));
  const show = () => {
    if (box.children.length > 1) return;
    const nameOf = i => {
      const name = (of, at) => trace.elementOf(of, at, trace.shortName(of));
      const result = name(step, results[Math.floor(i / inputs.length)]);
      return t('jacobianEntry', result, name(from, inputs[i % inputs.length]));
    };
    const shape = [results.length, inputs.length];
    const map = new TensorMap({ name: title, shape, numbers, nameOf });
    box.append(element('p', t('jacobianNote'), 'soft'), map.root);
  };
  box.firstChild.addEventListener('click', show);
  return box;
}
