// Shows two tapes side by side: values, gradients, and the first difference of each.

// Formats a number with all digits. null stands for a number that isn't finite.
const exactText = value => (value === null ? compareTexts.notANumber : String(value));

function differenceText(difference) {
  if (!difference) return '';
  if (difference.equal) return '=';
  if (difference.shape_a) return compareTexts.shape;
  if (difference.type_a) return compareTexts.type;
  return apartText({ ...difference.largest, ulps: difference.ulps });
}

// Formats a position and a difference: `softmax 2 at [0, 2], by 2 ulps`.
function placeText({ step }, pair) {
  const place = pair.index.length > 0 ? compareTexts.at(step, `[${pair.index.join(', ')}]`) : step;
  const isDistance = pair.ulps !== null && pair.ulps !== 0;
  return `${place}, ${isDistance ? compareTexts.by(apartText(pair)) : apartText(pair)}`;
}

// Shows the first value or gradient that differs: both numbers with all digits, and the reason.
function partingCard(title, parting, difference) {
  const { first, shape_a, shape_b, type_a, type_b } = difference;
  const { is, shape, type } = compareTexts;
  const say = (name, text) => [make('dt', name), make('dd.mono', text)];
  const both = ([a, b]) => make('dl.both', say('A', a), say('B', b));
  const sides = shape_a
    ? [shape_a, shape_b].map(sizes => is(shape, shapeText(sizes)))
    : first
      ? [first.a, first.b].map(exactText)
      : [type_a, type_b].map(name => is(type, name));
  const heading = `${title}: ${first && !shape_a ? placeText(parting, first) : parting.step}`;
  return make('section.note', make('h2', heading), both(sides), make('p', `${parting.why}.`));
}

const flat = value => (Array.isArray(value) ? value : [value]);

// Returns a tensor as numbers and colours, and marks the elements whose indices are in `marks`.
function markedTensor(name, value, shape, marks) {
  const numbers = flat(value).map(each => (each === null ? NaN : Number(each)));
  const map = new TensorMap({ name, shape, numbers, nameOf: i => elementName(name, i, shape) });
  map.cells?.forEach((cell, i) => {
    cell.title = exactText(numbers[i]);
    cell.classList.toggle('marked', marks.has(i));
  });
  return map.root;
}

function stepCell(label, steps, at, what, marks) {
  const attributes = { role: 'cell', 'data-name': label };
  if (at === null) return make('div.none', attributes, make('span.soft', '–'));
  const { op, inputs, shape = [] } = steps[at];
  const value = steps[at][what];
  const head = make('div', make('span.soft', `${at} `), make('strong', op));
  if (inputs.length > 0) head.append(`(${inputs.join(', ')})`);
  const tensor = value !== undefined && markedTensor(op, value, shape, marks);
  return make('div', attributes, head, tensor);
}

// Returns the indices of the elements that differ between two tensors; none for other shapes.
function differingElements(a, b) {
  const [ours, theirs] = [flat(a), flat(b)];
  if (a === undefined || b === undefined || ours.length !== theirs.length) return new Set();
  return new Set(ours.flatMap((each, i) => (Object.is(each, theirs[i]) ? [] : [i])));
}

// Returns the table cell with the difference of A's and B's tensor.
function apartCell(difference, isFirst) {
  const { differing, elements, equal } = difference ?? {};
  return make(
    difference ? 'div' : 'div.none',
    { role: 'cell', 'data-name': compareTexts.difference },
    differenceText(difference),
    isFirst && make('strong', compareTexts.firstMark),
    elements > 1 && !equal && make('div.soft', compareTexts.someElements(differing, elements)),
  );
}

function pairRow({ a: tapeA, b: tapeB, ...compared }, row, at, what) {
  const { a, b, [what]: difference } = row;
  const value = ({ lines }, i) => (i === null ? undefined : lines[i][what]);
  const marks = differingElements(value(tapeA, a), value(tapeB, b));
  const isFirst = compared[`first_${what}`]?.row === at;
  const root = make(
    'div.pair-row',
    { role: 'row' },
    stepCell('A', tapeA.lines, a, what, marks),
    stepCell('B', tapeB.lines, b, what, marks),
    apartCell(difference, isFirst),
  );
  root.classList.toggle('quiet', Boolean(difference?.equal));
  root.classList.toggle('first', isFirst);
  return root;
}

// Returns the table of values or of gradients; `what` is 'value' or 'gradient'.
function pairTable(title, compared, what) {
  const heads = ['A', 'B', compareTexts.difference];
  const headCells = heads.map(name => make('div', { role: 'columnheader' }, name));
  const rows = compared.rows.map((row, at) => ({ row, at }));
  if (what === 'gradient') rows.reverse();
  const has = ({ lines }, at) => at !== null && lines[at][what] !== undefined;
  const seen = rows.filter(({ row: { a, b } }) => has(compared.a, a) || has(compared.b, b));
  return make(
    'div',
    { role: 'table', 'aria-label': title },
    make('div.pair-row.tape-head', { role: 'row' }, headCells),
    seen.map(({ row, at }) => pairRow(compared, row, at, what)),
  );
}

// Returns the parts of the page: the first value and the first gradient that differ, and tables of
// all values and gradients.
function comparedTapes(compared) {
  const { first_value: value, first_gradient: gradient, rows } = compared;
  const texts = compareTexts;
  const table = (title, what) =>
    make('details', { open: true }, make('summary', title), pairTable(title, compared, what));
  return [
    ...(value ? [partingCard(texts.firstValue, value, rows[value.row].value)] : []),
    ...(gradient ? [partingCard(texts.firstGradient, gradient, rows[gradient.row].gradient)] : []),
    table(texts.forward, 'value'),
    table(texts.backward, 'gradient'),
  ];
}
