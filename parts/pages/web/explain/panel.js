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

// Returns the formula and the backward function of an op.
function rulesOf(op, formula, rule, isForward) {
  const lines = element('dl', undefined, 'rules');
  const line = (name, text, isNow) =>
    lines.append(element('dt', name), element('dd', text, isNow ? 'now' : ''));
  line(op, formula, isForward);
  if (rule) line(t('backward'), rule, !isForward);
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

// Compares all gradients with the finite differences, and names the steps that differ: those on
// kinks, or with infinite values.
function agreementOf({ trace, numbers, predicting }) {
  if (predicting.box.checked || trace.isPuzzle) return '';
  const tolerance = trace.data.characters === 8 ? 1e-6 : 5e-3;
  const size = numbers => mostOf(numbers.filter(Number.isFinite));
  let measured = 0;
  const differing = [...trace.steps.keys()].filter(step => {
    const { moved, differences } = numbers.steps[step];
    if (moved === undefined || step === trace.last) return false;
    const gradient = numbers.gradient(step);
    const found = trace.list(differences);
    const most = Math.max(1e-4, size(gradient), size(found));
    measured += found.length;
    const differs = (place, i) => !(Math.abs(gradient[place] - found[i]) <= tolerance * most);
    return [...trace.wholeList(moved)].some(differs);
  });
  if (measured === 0) return '';
  if (differing.length === 0) return t('agree');
  return t('differ', differing.map(step => `${step} ${trace.shortName(step)}`).join(', '));
}
