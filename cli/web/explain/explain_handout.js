// Every step on paper: values, and gradients, or lines to write them on where they are predicted.
function fillHandout(handout, { numbers, predict }) {
  const head = ['#', 'step', 'inputs', 'shape', 'formula', 'rule', 'value', 'gradient'];
  const text = (list, summary) =>
    (list.length <= 12 ? [...list].map(number => numberText(number)).join('  ') : summary);
  const rows = steps.map(({ name, inputs, shape, formula = '', rule = '' }, i) => {
    const [value, gradient] = numbers.steps[i].summaries;
    const came = numbers.hasGradient(i) ? text(numbers.gradient(i), gradient) : '–';
    return [
      String(i),
      name,
      inputs.filter(from => from >= 0).join(', '),
      shapeText(shape),
      formula,
      rule,
      text(numbers.value(i), value),
      predict && came !== '–' && i !== last ? '________' : came,
    ];
  });
  const note = 'Of many elements the root mean square is given.';
  handout.replaceChildren(
    element('h2', 'All steps'),
    element('p', note, 'soft'),
    table(head, rows),
  );
}
