// Fills the printable list of all steps: values and gradients, or blanks for predicting gradients.
function fillHandout(handout, { numbers, predicting, trace }) {
  const { steps, last, hasTangents } = trace;
  const tangent = hasTangents ? [t('tangent')] : [];
  const head = [...t('handoutHead'), ...tangent, t('gradient')];
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
    const isBlank = predicting.box.checked && i !== last;
    return [
      String(i),
      name,
      inputs.filter(from => from >= 0).join(', '),
      sizesText(shape),
      formula ? matrix([formula, rule], []) : '',
      cell(numbers.value(i), value, false),
      ...(hasTangents ? [numbers.hasTangent(i) ? cell(numbers.tangent(i), tangent, false) : '–'] : []),
      numbers.hasGradient(i) ? cell(numbers.gradient(i), gradient, isBlank) : '–',
    ];
  });
  handout.replaceChildren(
    element('h2', t('allSteps')),
    element('p', t('handoutNote'), 'soft'),
    table(head, rows),
  );
}
