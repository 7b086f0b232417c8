// A tape as rows: op, inputs, value, backward function, gradient and finite difference. Rows are
// updated in place, which keeps the focus and the scroll position.

const tapeColumns = ['#', 'op', 'value', 'backward', 'gradient', 'finite difference'];

const headCell = name => attributed(element('div', name), { role: 'columnheader' });

// Returns the elements whose gradient and finite difference differ by more than the tolerance of
// `explain`.
function disagreeing({ value, gradient, finite_difference: difference }) {
  const marks = new Set();
  if (gradient === undefined || difference === undefined) return marks;
  const [ours, theirs, at] = [gradient, difference, value].map(flat);
  const sizes = [...ours, ...theirs].map(each => (Number.isFinite(each) ? Math.abs(each) : 0));
  const largest = Math.max(1e-4, sizes.reduce((most, each) => Math.max(most, each), 0));
  ours.forEach((each, i) => {
    if (at[i] === null) return; // infinite values have no finite difference
    const isFinite = each !== null && theirs[i] !== null;
    if (!isFinite || Math.abs(each - theirs[i]) > 1e-6 * largest) marks.add(i);
  });
  return marks;
}

class TapeRow {
  constructor(tape, line, at) {
    Object.assign(this, { tape, at });
    this.root = attributed(element('div', undefined, 'tape-row'), { role: 'row', tabindex: -1 });
    this.cells = tapeColumns.map(name => {
      const cell = attributed(element('div'), { role: 'cell', 'data-name': name });
      this.root.append(cell);
      return cell;
    });
    const [number, op, value, rule, gradient, difference] = this.cells;
    number.textContent = at;
    this.makeOp(op, line);
    this.rule = rule;
    this.value = new TensorView();
    this.gradient = new TensorView();
    this.difference = new TensorView();
    this.makeNumbers(value, line);
    this.makeSeed(line);
    gradient.append((this.seed ?? this.gradient).root);
    difference.append(this.difference.root);
    this.gradientCell = gradient;
    this.notes = attributed(element('div', undefined, 'notes'), { role: 'cell', 'data-name': '' });
    this.root.append(this.notes);
  }

  makeOp(cell, { op, inputs }) {
    cell.append(element('strong', op));
    if (inputs.length > 0) cell.append(`(${inputs.join(', ')})`);
    const users = this.tape.usersOf(this.at);
    if (users.length > 0) cell.append(element('div', `used by ${users.join(', ')}`, 'soft'));
  }

  // Makes dy, the gradient of the result, editable if the command line sets it.
  makeSeed({ shape = [] }) {
    const { given, lines, actions } = this.tape;
    if (this.at !== lines.length - 1 || !given.has('dy')) return;
    const numbers = numbersIn(given.get('dy'));
    const { length } = flat(lines[this.at].value);
    if (numbers?.length === length && isSmall(length, shape))
      this.seed = new SpinGrid('dy', numbers, shape, false, actions);
  }

  // Makes the value of a variable editable.
  makeNumbers(cell, line) {
    const given = line.inputs.length === 0 ? this.tape.given.get(line.op) : undefined;
    const numbers = given === undefined ? null : numbersIn(given);
    const isSpun = numbers && isSmall(numbers.length, line.shape ?? []);
    if (isSpun) {
      const isWhole = line.gradient === undefined; // ids, targets and masks are integers
      this.spins = new SpinGrid(line.op, numbers, line.shape ?? [], isWhole, this.tape.actions);
    }
    cell.append(isSpun ? this.spins.root : this.value.root);
    if (given?.startsWith('randn(') && flat(line.value).length <= 64)
      cell.append(button('Replace by numbers', () => this.tape.actions.fix(line.op, this.line)));
  }

  show(line) {
    this.line = line;
    this.rule.textContent = line.rule ?? '';
    [line.value, line.rule, line.gradient, line.finite_difference].forEach((has, i) =>
      this.cells[2 + i].classList.toggle('none', has === undefined),
    );
    if (this.spins) this.spins.show(numbersIn(this.tape.given.get(line.op)));
    else this.value.show(line.value, line.shape);
    const state = this.tape.prediction.stateOf(this.at);
    const isKnown = state === 'shown';
    const marks = isKnown ? disagreeing(line) : new Set();
    if (this.seed) this.seed.show(numbersIn(this.tape.given.get('dy')));
    else this.showNumbers(this.gradient, line.gradient, isKnown, marks);
    this.showNumbers(this.difference, line.finite_difference, isKnown, marks);
    this.gradient.root.hidden = state === 'asked';
    this.tape.prediction.place(this, state);
    this.showNotes(isKnown ? marks : null);
  }

  showNumbers(view, value, isKnown, marks) {
    if (value === undefined) view.clear();
    else if (!isKnown) view.clear('?');
    else view.show(value, this.line.shape, marks);
  }

  showNotes(marks) {
    const parts = [];
    const { line, tape } = this;
    if (marks) parts.push(...tape.sumOf(line), ...this.differencesText(marks));
    if (line.note) parts.push(element('p', line.note));
    const said = parts.map(part => part.outerHTML).join('');
    if (said !== this.said) this.notes.replaceChildren(...parts);
    this.said = said;
    this.notes.hidden = parts.length === 0;
  }

  // Describes the elements in `marks`, where gradient and finite difference differ, and kinks.
  differencesText(marks) {
    const { line } = this;
    return [...marks].slice(0, 3).map(each => {
      const kink = (line.kinks ?? []).find(({ element }) => element === each);
      const slopes = kink?.slopes.map(numberText).join(' and ');
      const where = line.shape ? ` at ${elementName('', each, line.shape)}` : '';
      const why = kink ? `: a kink with the slopes ${slopes} on its sides` : '';
      const number = numberText(flat(line.finite_difference)[each]);
      return element('p', `finite differences give ${number}${where}${why}`);
    });
  }
}

class Tape {
  // `actions` are called when the reader changes a number, wants to type it, or replaces random
  // numbers: moved(name, i, text), edit(name, i), fix(name, line).
  constructor(actions) {
    this.actions = actions;
    const attributes = { role: 'table', 'aria-label': 'the tape' };
    this.root = attributed(element('div', undefined, 'tape'), attributes);
    this.prediction = new Prediction(() => this.update());
    this.root.addEventListener('keydown', event => this.onKey(event));
    for (const event of ['pointermove', 'focusin'])
      this.root.addEventListener(event, ({ target }) => this.mark(this.rowOf(target)));
    for (const event of ['pointerleave', 'focusout'])
      this.root.addEventListener(event, () => this.mark(null));
  }

  usersOf(at) {
    return this.lines.flatMap(({ inputs }, user) => (inputs.includes(at) ? [user] : []));
  }

  // Shows a tape; updates the rows in place if the structure is unchanged. `given` has the texts of
  // the variables' values by name.
  show(lines, given) {
    this.lines = lines;
    this.given = given;
    const count = text => (numbersIn(text) ?? [text]).length;
    const of = ({ op, inputs, shape, gradient }) => [op, inputs, shape, gradient === undefined];
    const counts = [...given].map(([name, text]) => [name, count(text)]);
    const form = JSON.stringify([lines.map(of), counts]);
    if (form !== this.form) this.make();
    this.form = form;
    this.update();
  }

  make() {
    const head = attributed(element('div', undefined, 'tape-row tape-head'), { role: 'row' });
    head.append(...tapeColumns.map(headCell));
    this.prediction.begin(this.lines);
    this.rows = this.lines.map((line, at) => new TapeRow(this, line, at));
    this.rows[0].root.tabIndex = 0;
    this.marked = null;
    this.root.replaceChildren(head, ...this.rows.map(row => row.root));
  }

  update() {
    this.prediction.lines = this.lines;
    this.rows.forEach((row, at) => row.show(this.lines[at]));
  }

  // Shows a gradient as a sum of contributions: `dx = 3.0000 (mul 2) + 1.0000 (add 3)`, with the
  // axes that the contribution of a broadcast input was summed over.
  sumOf({ op, shape = [], contributions = [] }) {
    const several = contributions.length > 1;
    if (!several && !contributions[0]?.summed_over) return [];
    const result = element('div', undefined, 'sum');
    result.append(`d${op} = `);
    contributions.forEach((each, i) => {
      const summed = each.summed_over ? `, summed over ${each.summed_over}` : '';
      if (i > 0) result.append(' + ');
      if (several) result.append(new TensorView().show(each.gradient, shape).root);
      const from = `${each.op} ${each.line}${summed}`;
      result.append(element('span', several ? `(${from})` : from, 'soft'));
    });
    return [result];
  }

  // ---- keyboard: the table is one tab stop, and arrow keys move between rows

  rowOf(target) {
    return this.rows?.find(({ root }) => root.contains(target)) ?? null;
  }

  onKey(event) {
    const at = this.rows.findIndex(({ root }) => root === event.target);
    const end = this.rows.length - 1;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: end }[event.key];
    if (at < 0 || to === undefined || hasModifier(event)) return;
    event.preventDefault();
    if (!this.rows[to]) return;
    this.rows[at].root.tabIndex = -1;
    this.rows[to].root.tabIndex = 0;
    this.rows[to].root.focus();
  }

  // Moves the focus to number i of the variable `name` or of dy.
  focus({ name, i }) {
    for (const row of this.rows) {
      const grid = name === 'dy' ? row.seed : row.line.op === name && row.spins;
      if (grid) grid.spins[i]?.root.focus();
    }
  }

  mark(row) {
    if (row === this.marked) return;
    this.marked = row;
    const inputs = row ? this.lines[row.at].inputs : [];
    const users = row ? this.usersOf(row.at) : [];
    for (const { root, at } of this.rows ?? []) {
      root.classList.toggle('is-input', inputs.includes(at));
      root.classList.toggle('is-user', users.includes(at));
    }
  }
}
