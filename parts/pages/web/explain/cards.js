// The cards of a step: one for each input and one for the result. A card shows the value, the
// tangent if there is one, and the gradient; for the result, this is the upstream gradient.

// Returns the card of one tensor.
function tensorCard(page, step, title, gradientTitle, gradient, more = []) {
  const { trace } = page;
  const { shape, name } = trace.steps[step];
  const { rows, columns } = gridOf(shape);
  const card = element('div', undefined, rows > 2 * columns && rows > 16 ? 'card tall' : 'card');
  const head = element('h3');
  head.append(...title);
  card.append(head, element('p', sizesText(shape), 'soft'));
  const part = (className, title, { state, numbers }) => {
    const box = element('div', undefined, className);
    box.append(element('h4', title));
    if (state === 'shown') {
      const map = new TensorMap({
        name: `${title}, ${name}, ${sizesText(shape)}`,
        shape,
        numbers: numbers(),
        chosen: page.element.step === step ? page.element.index : -1,
        pick: index => page.pick(step, index),
        nameOf: index => trace.elementOf(step, index, ''),
      });
      page.maps.push({ map, of: step });
      box.append(map.root);
    } else {
      box.append(element('p', page.said(state), 'unknown'));
    }
    return box;
  };
  const value = { state: page.stateOf('value', step), numbers: () => page.numbers.value(step) };
  const parts = element('div', undefined, 'parts');
  parts.append(part('value', t('value'), value));
  if (page.numbers.hasTangent(step)) {
    const tangent = { state: value.state, numbers: () => page.numbers.tangent(step) };
    parts.append(part('tangent', t('tangent'), tangent));
  }
  parts.append(part('gradient', gradientTitle, gradient));
  card.append(parts, ...more);
  return card;
}

// Returns a link to a step, with its number.
function stepLink(page, step) {
  const link = button(`${step} ${page.trace.shortName(step)}`, () => page.see(step));
  link.className = 'link';
  return link;
}

function inputCard(page, from, input) {
  const { step, numbers, trace } = page;
  const uses = trace.uses[from];
  const goes = uses.some(use => use.step === step && use.input === input);
  const more = [];
  const summed = trace.steps[step].summed?.[input];
  if (goes && summed) more.push(element('p', t('summedOver', summed), 'mark'));
  if (goes && uses.length > 1) more.push(element('p', t('oneOfUses', uses.length), 'mark'));
  const state = goes ? page.sentState(step, input) : 'none';
  const gradient = { state, numbers: () => numbers.sent(step, input) };
  const title = [t('input'), ' ', stepLink(page, from)];
  return tensorCard(page, from, title, t('gradientToInput'), gradient, more);
}

function resultCard(page, step) {
  const { trace, numbers } = page;
  const uses = trace.uses[step];
  const gradient = { state: page.gradientState(step), numbers: () => numbers.gradient(step) };
  const more = [];
  if (uses.length > 0) {
    const used = element('p', `${t('usedBy')} `, 'soft');
    uses.forEach((use, i) => used.append(i > 0 ? ', ' : '', stepLink(page, use.step)));
    more.push(used);
  }
  if (uses.length > 1 && gradient.state !== 'none') {
    const has = use => ['shown', 'not shown'].includes(page.sentState(use.step, use.input));
    const arrived = uses.filter(has).length;
    more.push(element('p', t('arrived', arrived, uses.length), 'mark'));
  }
  const title = [t(trace.isOp(step) ? 'result' : 'tensor')];
  return tensorCard(page, step, title, t('upstreamGradient'), gradient, more);
}
