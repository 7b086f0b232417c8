// The cards of a step: one for each input and one for the result. A card shows the value, the
// tangent if there is one, and the gradient; for the result, this is the upstream gradient.

// Returns the card of one tensor.
function tensorCard(page, step, title, gradientTitle, gradient, more = []) {
  const { rows, columns } = gridOf(steps[step].shape);
  const card = element('div', undefined, rows > 2 * columns && rows > 16 ? 'card tall' : 'card');
  const head = element('h3');
  head.append(...title);
  card.append(head, element('p', shapeText(steps[step].shape), 'soft'));
  const part = (className, name, { state, numbers }) => {
    const box = element('div', undefined, className);
    box.append(element('h4', name));
    if (state === 'shown') {
      const map = new TensorMap({
        name: `${name} of ${steps[step].name}, ${shapeText(steps[step].shape)}`,
        shape: steps[step].shape,
        numbers: numbers(),
        chosen: page.element.step === step ? page.element.index : -1,
        pick: index => page.pick(step, index),
        nameOf: index => elementOf(step, index, ''),
      });
      page.maps.push({ map, of: step });
      box.append(map.root);
    } else {
      box.append(element('p', page.said(state), 'unknown'));
    }
    return box;
  };
  const value = { state: page.valueState(step), numbers: () => page.numbers.value(step) };
  const parts = element('div', undefined, 'parts');
  parts.append(part('value', 'value', value));
  if (page.numbers.hasTangent(step)) {
    const tangent = { state: value.state, numbers: () => page.numbers.tangent(step) };
    parts.append(part('tangent', 'tangent', tangent));
  }
  parts.append(part('gradient', gradientTitle, gradient));
  card.append(parts, ...more);
  return card;
}

function inputCard(page, from, input) {
  const { step, numbers } = page;
  const link = button(`${from} ${shortName(from)}`, () => page.see(from));
  link.className = 'link';
  const goes = uses[from].some(use => use.step === step && use.input === input);
  const state = goes ? page.sentState(step) : 'none';
  const more = [];
  const summed = steps[step].summed?.[input];
  if (goes && summed)
    more.push(element('p', `broadcast: the gradient is summed over ${summed}`, 'mark'));
  if (goes && uses[from].length > 1)
    more.push(element('p', `fan-out: one of ${uses[from].length} uses that add up`, 'mark'));
  const gradient = { state, numbers: () => numbers.sent(step, input) };
  return tensorCard(page, from, ['input ', link], 'gradient to input', gradient, more);
}

function resultCard(page, step) {
  const gradient = { state: page.gradientState(step), numbers: () => page.numbers.gradient(step) };
  const more = [];
  if (uses[step].length > 0) {
    const used = element('p', 'used by ', 'soft');
    uses[step].forEach((use, i) => {
      const link = button(`${use.step} ${shortName(use.step)}`, () => page.see(use.step));
      link.className = 'link';
      used.append(i > 0 ? ', ' : '', link);
    });
    more.push(used);
  }
  if (uses[step].length > 1 && gradient.state !== 'none') {
    const has = use => ['shown', 'not shown'].includes(page.sentState(use.step));
    const arrived = uses[step].filter(has).length;
    const text = `fan-out: ${arrived} of ${uses[step].length} contributions received`;
    more.push(element('p', text, 'mark'));
  }
  const title = [isOp(step) ? 'result' : 'tensor'];
  return tensorCard(page, step, title, 'upstream gradient', gradient, more);
}
