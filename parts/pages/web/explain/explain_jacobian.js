// Jacobians of softmax and normalization, for the row that contains the selected element. All
// results in a row depend on the same inputs.
const withJacobian = new Set(['softmax', 'log_softmax', 'logsumexp', 'layer_norm', 'rms_norm']);

function jacobians(page) {
  const { step, numbers } = page;
  const found = [];
  const isKnown = withJacobian.has(steps[step].op) && page.valueState(step) === 'shown';
  if (isKnown && !page.isAsking() && numbers.slopes(step, 0) !== null) {
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
          `Jacobian of ${shortName(step)} around ${elementOf(step, around, '')}`,
          step,
          steps[step].inputs[0],
          results,
          inputs,
          matrix,
        ),
      );
  }
  for (const { module, from, to, row, width, slopes } of numbers.norms)
    if (module === steps[step].module && page.valueState(to) === 'shown' && !page.isAsking()) {
      const places = Array.from({ length: width }, (_, i) => row * width + i);
      const title = `Jacobian of the whole ${module}, row ${row}: of ${to} by ${from}`;
      found.push(jacobian(title, to, from, places, places, list(slopes)));
    }
  return found;
}

// Returns a folded Jacobian; rows are results, columns are inputs.
function jacobian(title, step, from, results, inputs, numbers) {
  const box = element('details', undefined, 'jacobian');
  box.append(element('summary', title));
  const show = () => {
    if (box.children.length > 1) return;
    const nameOf = i => {
      const result = elementOf(step, results[Math.floor(i / inputs.length)], shortName(step));
      return `d ${result} / d ${elementOf(from, inputs[i % inputs.length], shortName(from))} =`;
    };
    const note =
      'Rows: results. Columns: inputs. Each row is the VJP for a 1 at its result.';
    const shape = [results.length, inputs.length];
    const map = new TensorMap({ name: title, shape, numbers, nameOf });
    box.append(element('p', note, 'soft'), map.root);
  };
  box.firstChild.addEventListener('click', show);
  return box;
}
