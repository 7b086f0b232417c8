// Says in a sentence how two expressions differ, from the result of `compare --json`.

const compareTexts = t('compare');

// Formats the difference of two numbers as `compare` does.
function apartText({ a, b, ulps }) {
  if (ulps === null) return compareTexts.notANumber;
  if (ulps === 0) return compareTexts.signOf0;
  return ulps < 1e6 ? compareTexts.ulps(ulps) : numberText(Math.abs(a - b), 2);
}

const shapeText = shape => `(${shape.join(', ')})`;

function expressionsVerdict({ equal, result, rows, a, first_value: parting }) {
  const texts = compareTexts;
  if (equal) return texts.same;
  const variables = rows.filter(row => row.gradient && a.lines[row.a].inputs.length === 0);
  const differing = variables.filter(row => !row.gradient.equal);
  const isRounding = all => all.every(each => each.equal || each.only_rounding);
  const how = isRounding(differing.map(row => row.gradient)) ? texts.onlyRounding : texts.differ;
  const names = differing.map(row => a.lines[row.a].op);
  const same = variables.length > 0 && texts.sameGradients;
  const gradients = names.length > 0 ? texts.gradients(names, how) : same;
  const first = parting ? ` ${texts.first(parting)}` : '';
  const head = isRounding([result, ...differing.map(row => row.gradient)]) && texts.rounding;
  const said = [resultText(result), gradients].filter(Boolean).join('; ');
  return `${head ? `${head}. ` : ''}${said}.${first}`;
}

function resultText({ equal, shape_a, shape_b, type_a, differing, elements, ulps, largest }) {
  const texts = compareTexts;
  if (equal) return texts.sameResults;
  if (shape_a) return texts.shapes(shapeText(shape_a), shapeText(shape_b));
  if (type_a && differing === 0) return texts.types;
  const results = texts.results(elements > 1 ? texts.where(differing, elements) : '');
  if (ulps === 0) return results + texts.sign;
  if (ulps === null) return results + texts.notFinite;
  return results + texts.most(apartText({ ...largest, ulps }));
}

// Returns the distance from a number to the next larger f64.
function ulpOf(number) {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, Math.abs(number));
  bits.setBigUint64(0, bits.getBigUint64(0) + 1n);
  return bits.getFloat64(0) - Math.abs(number);
}

// Returns a note that explains ulps, if the comparison mentions any.
function ulpNote({ result, rows }) {
  const all = [result, ...rows.flatMap(row => [row.value, row.gradient])];
  const found = all.find(each => each?.ulps > 0);
  if (!found) return [];
  const near = found.largest.a;
  const [size, ulp] = [near, ulpOf(near)].map(each => numberText(each, 2));
  return [make('p.soft.ulp', compareTexts.ulp(size, ulp))];
}
