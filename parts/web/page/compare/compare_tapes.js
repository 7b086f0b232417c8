// Shows the result of `compare --json` for two tapes side by side: forward values, backward
// gradients, and the first difference of each.

// Formats the difference of two numbers as `compare` does.
function apartText({ a, b, ulps }) {
  if (ulps === null) return compareTexts.notANumber;
  if (ulps === 0) return compareTexts.signOf0;
  return ulps < 1e6 ? compareTexts.ulps(ulps) : String(Number(Math.abs(a - b).toPrecision(2)));
}

function differenceText(difference) {
  if (!difference) return '';
  if (difference.equal) return '=';
  if (difference.shape_a) return compareTexts.shape;
  if (difference.type_a) return compareTexts.type;
  return apartText({ ...difference.largest, ulps: difference.ulps });
}

// Returns the steps of a tape: `lines` of an expression, or `steps` of a model's pass.
const stepsOf = ({ lines, steps }) =>
  lines?.map(line => ({ ...line, name: line.op })) ??
  steps.map(step => ({ ...step, name: step.path || step.op }));

const shapeText = shape => `(${shape.join(', ')})`;

// Formats a position: `softmax 2 at [0, 2]`.
const placeText = ({ step }, { index }) =>
  index.length > 0 ? compareTexts.at(step, `[${index.join(', ')}]`) : step;

// Formats a difference: `by 2 ulps`.
function byText(pair) {
  const isDistance = pair.ulps !== null && pair.ulps !== 0;
  return isDistance ? compareTexts.by(apartText(pair)) : apartText(pair);
}

// Shows the first value or gradient that differs: both numbers with all digits, and the reason.
function partingCard(title, parting, difference) {
  const card = element('section', undefined, 'note');
  const both = element('dl', undefined, 'both');
  const say = (name, text) => both.append(element('dt', name), element('dd', text));
  const { is, shape, type } = compareTexts;
  let heading = `${title}: ${parting.step}`;
  if (difference.shape_a) {
    say('A', is(shape, shapeText(difference.shape_a)));
    say('B', is(shape, shapeText(difference.shape_b)));
  } else if (!difference.first) {
    say('A', is(type, difference.type_a));
    say('B', is(type, difference.type_b));
  } else {
    heading = `${title}: ${placeText(parting, difference.first)}, ${byText(difference.first)}`;
    say('A', exactText(difference.first.a));
    say('B', exactText(difference.first.b));
  }
  card.append(element('h3', heading), both, element('p', `${parting.why}.`));
  return card;
}

const headCell = name => attributed(element('div', name), { role: 'columnheader' });

function stepCell(label, steps, at, what, marks) {
  const cell = attributed(element('div'), { role: 'cell', 'data-name': label });
  if (at === null) {
    cell.append(element('span', '–', 'soft'));
    cell.classList.add('none');
    return cell;
  }
  const { name, inputs, shape, summary } = steps[at];
  const value = steps[at][what];
  const head = element('div');
  head.append(element('span', `${at} `, 'soft'), element('strong', name));
  if (inputs.length > 0) head.append(`(${inputs.join(', ')})`);
  cell.append(head);
  if (value !== undefined) cell.append(new TensorView(value, shape, marks).root);
  else if (what === 'value') cell.append(element('div', compareTexts.rms(summary), 'tensor'));
  return cell;
}

// Returns the indices of the elements that differ between two tensors; none for other shapes.
function differingElements(a, b) {
  if (a === undefined || b === undefined) return new Set();
  const [ours, theirs] = [flat(a), flat(b)];
  if (ours.length !== theirs.length) return new Set();
  return new Set(ours.flatMap((each, i) => (Object.is(each, theirs[i]) ? [] : [i])));
}

// Returns the table cell with the difference of A's and B's tensor.
function apartCell(difference, isFirst) {
  const text = differenceText(difference);
  const cell = attributed(element('div', text), { role: 'cell', 'data-name': compareTexts.difference });
  cell.classList.toggle('none', !difference);
  if (isFirst) cell.append(element('strong', compareTexts.firstMark));
  if (difference && !difference.equal && difference.elements > 1) {
    const { differing, elements } = difference;
    cell.append(element('div', compareTexts.someElements(differing, elements), 'soft'));
  }
  return cell;
}

function pairRow(compared, row, at, what) {
  const { a, b } = row;
  const difference = row[what];
  const isFirst = compared[`first_${what}`]?.row === at;
  const root = attributed(element('div', undefined, 'pair-row'), { role: 'row' });
  root.classList.toggle('quiet', Boolean(difference?.equal));
  root.classList.toggle('first', isFirst);
  const value = (steps, i) => (i === null ? undefined : steps[i][what]);
  const marks = differingElements(value(compared.a, a), value(compared.b, b));
  root.append(
    stepCell('A', compared.a, a, what, marks),
    stepCell('B', compared.b, b, what, marks),
    apartCell(difference, isFirst),
  );
  return root;
}

// Returns the table of values or of gradients; `what` is 'value' or 'gradient'.
function pairTable(title, compared, what) {
  const table = attributed(element('div'), { role: 'table', 'aria-label': title });
  const head = attributed(element('div', undefined, 'pair-row tape-head'), { role: 'row' });
  head.append(...['A', 'B', compareTexts.difference].map(headCell));
  const rows = compared.rows.map((row, at) => ({ row, at }));
  if (what === 'gradient') rows.reverse();
  const has = (steps, at) => at !== null && (what === 'value' || steps[at].gradient !== undefined);
  const seen = rows.filter(({ row: { a, b, gradient } }) => {
    return gradient || has(compared.a, a) || has(compared.b, b);
  });
  table.append(head, ...seen.map(({ row, at }) => pairRow(compared, row, at, what)));
  return table;
}

// Returns the parts of the page: the first value and the first gradient that differ, and tables of
// all values and gradients, folded if `areMany`. `what` names a value in the title: value or op.
function comparedTapes(document, what, areMany) {
  const compared = { ...document, a: stepsOf(document.a), b: stepsOf(document.b) };
  const parts = [];
  const { first_value: value, first_gradient: gradient, rows } = compared;
  const texts = compareTexts;
  if (value) parts.push(partingCard(texts.firstOf[what], value, rows[value.row].value));
  if (gradient) parts.push(partingCard(texts.firstGradient, gradient, rows[gradient.row].gradient));
  const table = (title, direction) => {
    const part = Object.assign(element('details'), { open: !areMany });
    part.append(element('summary', title), pairTable(title, compared, direction));
    parts.push(part);
  };
  table(texts.forward, 'value');
  table(texts.backward, 'gradient');
  return parts;
}
