// The data of `explain`: the steps of a tape, and for each state their values, gradients and slopes.
// A state is a pass, such as at one checkpoint. The command has computed all numbers.
class Trace {
  constructor(data) {
    this.data = data;
    this.steps = data.steps;
    this.last = this.steps.length - 1;
    this.ops = [...this.steps.keys()].filter(step => this.isOp(step));
    this.lists = new Map();
    this.states = data.states.map(state => new Numbers(this, state));
    const [{ steps: recorded }] = data.states;
    // Tangents are forward-mode derivatives along a direction.
    this.hasTangents = recorded.some(({ tangent }) => tangent !== undefined);
    // A puzzle has no contributions to gradients.
    this.isPuzzle = recorded.every(({ sent }) => !sent);
    // For each step, its uses that send it a gradient: { step, input }, the step that uses it and
    // as which input.
    this.uses = this.steps.map(() => []);
    recorded.forEach(({ gradient, sent }, step) =>
      this.steps[step].inputs.forEach((from, input) => {
        if (from < 0) return;
        const hasGradients = gradient !== null && recorded[from].gradient !== null;
        if (sent ? sent[input] !== null : hasGradients) this.uses[from].push({ step, input });
      }),
    );
    this.roles = rolesOf(this);
  }

  isOp(step) {
    return this.steps[step].op !== '';
  }
  isConstant(step) {
    return !this.isOp(step) && !this.states[0].hasGradient(step) && !this.steps[step].parameter;
  }
  // Returns whether a step is a constant that its name says.
  isNumber(step) {
    return this.isConstant(step) && this.isScalar(step) && /^([-\d.]|constant)/.test(this.shortName(step));
  }
  isScalar(step) {
    return this.steps[step].shape.length === 0;
  }
  sizeOf(step) {
    return this.steps[step].shape.reduce((size, length) => size * length, 1);
  }

  // Decodes lists of numbers at their first use; packed_numbers in explain/page.hpp encodes them.
  list(id) {
    const { lists, characters } = this.data;
    if (!this.lists.has(id)) this.lists.set(id, unpackNumbers(lists[id], characters));
    return this.lists.get(id);
  }

  // Decodes lists of integers, which are encoded as differences in eight characters each.
  wholeList(id) {
    const key = `whole ${id}`;
    let sum = 0;
    const differences = () => unpackNumbers(this.data.lists[id], 8);
    if (!this.lists.has(key)) this.lists.set(key, differences().map(each => (sum += each)));
    return this.lists.get(key);
  }

  shortName(step) {
    const { name, module } = this.steps[step];
    return module && name.startsWith(module) ? name.slice(module.length + 1) : name;
  }
  elementOf(step, element, name = this.steps[step].name) {
    return elementName(name, element, this.steps[step].shape);
  }
  // Formats a selected number with all digits that the data has.
  fullText(number) {
    return numberText(number, this.data.characters === 8 ? 7 : 5);
  }
}

function unpackNumbers(text, characters) {
  const repeated = new RegExp(`(.{${characters}})\\*(\\d+);`, 'g');
  const bytes = atob(text.replace(repeated, (_, number, more) => number.repeat(Number(more) + 1)));
  const size = (characters / 4) * 3;
  const view = new DataView(new ArrayBuffer(8));
  return Float64Array.from({ length: bytes.length / size }, (_, i) => {
    for (let byte = 0; byte < size; ++byte) view.setUint8(byte, bytes.charCodeAt(size * i + byte));
    return size === 3 ? view.getFloat32(0) : view.getFloat64(0);
  });
}

// ---- the numbers of one state

class Numbers {
  constructor(trace, state) {
    Object.assign(this, state, { trace });
  }

  value(step) {
    return this.trace.list(this.steps[step].value);
  }

  hasGradient(step) {
    return this.steps[step].gradient !== null;
  }

  gradient(step) {
    return this.trace.list(this.steps[step].gradient);
  }

  hasTangent(step) {
    return this.steps[step].tangent !== undefined;
  }

  tangent(step) {
    return this.trace.list(this.steps[step].tangent);
  }

  // Returns the gradient that a step sends to one of its inputs, in the input's shape.
  sent(step, input) {
    return this.trace.list(this.steps[step].sent[input]);
  }

  // Returns the finite difference for an element of a step; undefined if it wasn't measured.
  difference(step, element) {
    const { moved, differences } = this.steps[step];
    if (moved === undefined) return undefined;
    return this.trace.list(differences)[this.trace.wholeList(moved).indexOf(element)];
  }

  // Returns the two slopes at an element whose value is at a kink; otherwise undefined.
  kink(step, element) {
    return this.steps[step].kinks?.find(([place]) => place === element)?.slice(1);
  }

  slopes(step, input) {
    return this.steps[step].slopes?.[input] ?? null;
  }

  // Returns the elements of an input that element `result` of a step depends on, with their slopes;
  // null if the page doesn't have the slopes. In a matmul, a slope is an element of the other
  // factor, which `by` identifies.
  termsOf(step, input, result) {
    const slopes = this.slopes(step, input);
    if (slopes === null) return null;
    if (slopes === 'product') return this.productTerms(step, input, result);
    const { inputs, numbers, byResult } = this.pairs(slopes);
    return (byResult.get(result) ?? []).map(i => ({ element: inputs[i], slope: numbers[i] }));
  }

  // Returns the elements of a step's result that depend on an element of an input, with the slopes.
  usesOf(step, input, element) {
    const slopes = this.slopes(step, input);
    if (slopes === null) return null;
    if (slopes === 'product') return this.productUses(step, input, element);
    const { results, numbers, byInput } = this.pairs(slopes);
    return (byInput.get(element) ?? []).map(i => ({ element: results[i], slope: numbers[i] }));
  }

  pairs(slopes) {
    if (!slopes.found) {
      const group = keys => {
        const groups = new Map();
        keys.forEach((key, i) => {
          if (!groups.has(key)) groups.set(key, []);
          groups.get(key).push(i);
        });
        return groups;
      };
      const [results, inputs] = [this.trace.wholeList(slopes.results), this.trace.wholeList(slopes.inputs)];
      const numbers = this.trace.list(slopes.slopes);
      const byResult = group(results);
      slopes.found = { results, inputs, numbers, byResult, byInput: group(inputs) };
    }
    return slopes.found;
  }

  productTerms(step, input, result) {
    const { rows, inner, columns, first, second } = factorsOf(this.trace, step);
    const batch = Math.floor(result / (rows * columns));
    const row = Math.floor(result / columns) % rows;
    const other = this.value(this.trace.steps[step].inputs[1 - input]);
    return Array.from({ length: inner }, (_, j) => {
      const places = [first(batch, row, j), second(batch, j, result % columns)];
      const by = { step: this.trace.steps[step].inputs[1 - input], element: places[1 - input] };
      return { element: places[input], slope: other[by.element], by };
    });
  }

  productUses(step, input, element) {
    const { rows, inner, columns, batches, first, second } = factorsOf(this.trace, step);
    const other = this.value(this.trace.steps[step].inputs[1 - input]);
    const found = [];
    const use = (batch, row, j, column) => {
      const places = [first(batch, row, j), second(batch, j, column)];
      if (places[input] !== element) return;
      const by = { step: this.trace.steps[step].inputs[1 - input], element: places[1 - input] };
      const result = (batch * rows + row) * columns + column;
      found.push({ element: result, slope: other[by.element], by });
    };
    // The element fixes two of the indices row, j and column; the loop varies the third.
    for (let batch = 0; batch < batches; ++batch)
      if (input === 0) {
        const row = Math.floor(element / inner) % rows;
        for (let column = 0; column < columns; ++column) use(batch, row, element % inner, column);
      } else {
        const [j, column] = factorsOf(this.trace, step).insideSecond(element);
        for (let row = 0; row < rows; ++row) use(batch, row, j, column);
      }
    return found;
  }
}

// Returns a matmul's or linear's sizes, and functions for the positions of elements in its factors.
function factorsOf(trace, step) {
  const { steps } = trace;
  const [a, b] = steps[step].inputs.map(input => steps[input].shape);
  const inner = a[a.length - 1];
  if (steps[step].op === 'linear') {
    const columns = b[0];
    return {
      rows: trace.sizeOf(step) / columns,
      inner,
      columns,
      batches: 1,
      first: (batch, row, j) => row * inner + j,
      second: (batch, j, column) => column * inner + j,
      insideSecond: element => [element % inner, Math.floor(element / inner)],
    };
  }
  const { shape } = steps[step];
  const rows = a[a.length - 2];
  const columns = b[b.length - 1];
  // Returns which matrix of a factor gives matrix `batch` of the result, also with broadcasting.
  const matrixOf = (batch, sizes) => {
    let place = 0;
    let stride = 1;
    let rest = batch;
    for (let axis = 1; axis <= shape.length - 2; ++axis) {
      const length = shape[shape.length - 2 - axis];
      const own = sizes[sizes.length - 2 - axis] ?? 1;
      if (own > 1) place += (rest % length) * stride;
      stride *= own;
      rest = Math.floor(rest / length);
    }
    return place;
  };
  return {
    rows,
    inner,
    columns,
    batches: trace.sizeOf(step) / (rows * columns),
    first: (batch, row, j) => (matrixOf(batch, a) * rows + row) * inner + j,
    second: (batch, j, column) => (matrixOf(batch, b) * inner + j) * columns + column,
    insideSecond: element => [Math.floor(element / columns) % inner, element % columns],
  };
}

// ---- texts

const sizesText = shape => (shape.length === 0 ? t('aNumber') : shape.join(' × '));

function numberText(number, digits = 4) {
  if (Number.isNaN(number)) return 'nan';
  if (!Number.isFinite(number)) return number > 0 ? 'inf' : '-inf';
  const size = Math.abs(number);
  if (size !== 0 && (size < 1e-3 || size >= 1e6))
    return number.toExponential(digits - 1).replace(/\.?0+e/, 'e');
  return String(Number(number.toPrecision(digits)));
}
