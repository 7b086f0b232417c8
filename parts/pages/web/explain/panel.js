// The panel below the graph: the selected step with its formula, inputs, result and elements.

function showPanel(page) {
  const { step, panel, trace, isForward } = page;
  const { op, module, formula, rule, note, parameter } = trace.steps[step];
  page.maps = [];
  const head = element('header');
  head.append(element('h2', `${step} ${trace.shortName(step)}`));
  const kind = trace.isOp(step) ? page.now.phase : parameter ? 'parameter' : 'given';
  head.append(element('span', t(kind), `chip ${kind}`));
  if (module) head.append(element('span', module, 'soft'));
  panel.firstChild.textContent = t('details', `${step} ${trace.shortName(step)}`);
  const parts = [panel.firstChild, head];
  if (formula) parts.push(rulesOf(op, formula, rule, isForward));
  if (note) parts.push(element('p', note, 'note'));
  parts.push(flowOfCards(page));
  page.below = element('div');
  panel.replaceChildren(...parts, page.elementView.root, page.below);
  showElement(page);
}

// Returns the formula and the backward function of an op. A backward function whose letters are
// also variables isn't shown, since it would be ambiguous.
function rulesOf(op, formula, rule, isForward) {
  const lines = element('dl', undefined, 'rules');
  const line = (name, text, isNow) =>
    lines.append(element('dt', name), element('dd', text, isNow ? 'now' : ''));
  line(op, formula, isForward);
  if (rule && !/\w'/.test(rule)) line(t('backward'), rule, !isForward);
  return lines;
}

function flowOfCards(page) {
  const { step, trace } = page;
  const flow = element('div', undefined, 'flow');
  trace.steps[step].inputs.forEach((from, input) => {
    if (from >= 0) flow.append(inputCard(page, from, input));
  });
  const arrow = element('div', page.isForward ? '→' : '←', 'arrow');
  if (flow.children.length > 0) flow.append(attributed(arrow, { 'aria-hidden': true }));
  flow.append(resultCard(page, step));
  // Coloured maps shrink to fit in one row; tables of numbers don't.
  const hasNumbers = page.maps.some(({ map }) => map.isTable);
  flow.classList.toggle('shrinking', flow.children.length <= 6 && !hasNumbers);
  return flow;
}

// Shows the selected element, the Jacobians around it, and the op's source.
function showElement(page) {
  page.elementView.show(page);
  const { op } = page.trace.steps[page.step];
  const parts = jacobians(page);
  const lines = page.trace.data.lines?.[op];
  if (lines) {
    const code = element('details', undefined, 'code');
    const text = element('pre');
    text.append(element('code', lines));
    code.append(element('summary', t('source', op)), text);
    code.open = page.codeOpen ?? false;
    code.addEventListener('toggle', () => (page.codeOpen = code.open));
    parts.push(code);
  }
  page.below.replaceChildren(...parts);
}
