// Fills the printable list of all steps: values and gradients, or blanks for predicting gradients.
function fillHandout(handout, { numbers, predict }) {
  const tangent = hasTangents ? ['tangent'] : [];
  const rules = 'formula and backward';
  const head = ['#', 'step', 'inputs', 'shape', rules, 'value', ...tangent, 'gradient'];
  const fewNumbers = 16; // larger tensors are summarized
  // Writes each row of a matrix on its own line.
  const matrix = (texts, { length, [length - 1]: columns = 1 }) => {
    const box = element('div', undefined, 'matrix');
    for (let from = 0; from < texts.length; from += columns) {
      const row = element('div');
      row.append(...texts.slice(from, from + columns).map(text => element('span', text)));
      box.append(row);
    }
    return box;
  };
  const rows = steps.map(({ name, inputs, shape, formula = '', rule = '' }, i) => {
    const [value, gradient, tangent] = numbers.steps[i].summaries;
    const cell = (list, summary, blank) => {
      const text = blank ? () => '______' : number => numberText(number);
      if (list.length <= fewNumbers) return matrix(Array.from(list, text), shape);
      return blank ? text() : summary;
    };
    const isBlank = predict && i !== last;
    return [
      String(i),
      name,
      inputs.filter(from => from >= 0).join(', '),
      shapeText(shape),
      formula ? matrix([formula, rule], []) : '',
      cell(numbers.value(i), value, false),
      ...(hasTangents ? [numbers.hasTangent(i) ? cell(numbers.tangent(i), tangent, false) : '–'] : []),
      numbers.hasGradient(i) ? cell(numbers.gradient(i), gradient, isBlank) : '–',
    ];
  });
  const note = 'For tensors with many elements, the root mean square is shown.';
  handout.replaceChildren(
    element('h2', 'All steps'),
    element('p', note, 'soft'),
    table(head, rows),
  );
}
