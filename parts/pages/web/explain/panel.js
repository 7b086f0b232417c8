// The panel next to the graph: the selected step with its formula, its numbers and the selected
// element.

function showPanel(page) {
  const { step, panel, trace, isForward } = page;
  const { op, module, formula, rule, note, parameter } = trace.steps[step];
  const name = `${step} ${trace.shortName(step)}`;
  const kind = trace.isOp(step) ? page.now.phase : parameter ? 'parameter' : 'given';
  panel.firstChild.textContent = t('details', name);
  page.below = make('div');
  panel.replaceChildren(
    panel.firstChild,
    make('header', make('h2', name), make(`span.chip.${kind}`, t(kind)), make('span.soft', module)),
    make('p.soft', sizesText(trace.steps[step].shape)),
    formula ? rulesOf(op, formula, rule, isForward) : '',
    note ? make('p.note', note) : '',
    tensorsOf(page),
    page.elementView.root,
    page.below,
  );
  showElement(page);
}

// Returns the formula and the backward function of an op.
function rulesOf(op, formula, rule, isForward) {
  const line = (name, text, isNow) =>
    [make('dt', name), make(isNow ? 'dd.mono.now' : 'dd.mono', text)];
  const backward = rule ? line(t('backward'), rule, !isForward) : [];
  return make('dl.rules', line(op, formula, isForward), backward);
}

// Returns the value, the tangent and the gradient of the selected step, in which the reader selects
// elements.
function tensorsOf(page) {
  const { step, trace, numbers } = page;
  const { shape, name } = trace.steps[step];
  page.maps = [];
  const tensor = what => {
    const state = page.stateOf(what, step);
    const title = make('h3', t(what === 'gradient' ? 'upstreamGradient' : what));
    if (state !== 'shown') return make(`div.${what}`, title, make('p.unknown', page.said(state)));
    const map = new TensorMap({
      name: `${t(what)}, ${name}, ${sizesText(shape)}`,
      shape,
      numbers: numbers[what](step),
      chosen: page.index,
      pick: index => page.pick(index),
      nameOf: index => trace.elementOf(step, index, ''),
    });
    page.maps.push(map);
    return make(`div.${what}`, title, map.root);
  };
  const { rows, columns } = gridOf(shape);
  const kind = rows > 2 * columns && rows > 16 ? 'div.quantities.tall' : 'div.quantities';
  const tangent = numbers.hasTangent(step) ? ['tangent'] : [];
  return make(kind, ['value', ...tangent, 'gradient'].map(tensor));
}

// Shows the selected element, the Jacobians around it, and the op's source.
function showElement(page) {
  page.elementView.show(page);
  const { op } = page.trace.steps[page.step];
  const lines = page.trace.data.lines?.[op];
  const code =
    lines &&
    make(
      'details.code',
      { open: page.codeOpen ?? false, ontoggle: () => (page.codeOpen = code.open) },
      make('summary', t('source', op)),
      make('pre', make('code', lines)),
    );
  page.below.replaceChildren(...jacobians(page), code ?? '');
}

// Compares all gradients with the finite differences, and names the steps that differ: those on
// kinks, or with infinite values.
function agreementOf({ trace, numbers, predicting }) {
  if (predicting.box.checked || trace.isPuzzle) return '';
  const tolerance = trace.data.characters === 8 ? 1e-6 : 5e-3;
  let measured = 0;
  const differing = [...trace.steps.keys()].filter(step => {
    const { moved, differences } = numbers.steps[step];
    if (moved === undefined || step === trace.last) return false;
    const gradient = numbers.gradient(step);
    const found = trace.list(differences);
    const most = Math.max(1e-4, mostOf(gradient), mostOf(found));
    measured += found.length;
    const differs = (place, i) => !(Math.abs(gradient[place] - found[i]) <= tolerance * most);
    return [...trace.wholeList(moved)].some(differs);
  });
  if (measured === 0) return '';
  if (differing.length === 0) return t('agree');
  return t('differ', differing.map(step => `${step} ${trace.shortName(step)}`).join(', '));
}
