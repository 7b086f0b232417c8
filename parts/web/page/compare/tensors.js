// Formats numbers with four decimals, as the command does, and shows tensors as small grids.

// Formats a number as `explain` does. null stands for a number that isn't finite.
function fixedText(value) {
  if (value === null) return t('compare').notANumber;
  if (typeof value === 'string') return value; // "inf"
  if (value === 0) return '0.0000'; // the same for 0 and -0
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e5) return value.toFixed(4);
  return value.toExponential(3).replace(/([+-])(\d)$/, '$10$2');
}

// Formats a number with all digits.
const exactText = value => (value === null ? t('compare').notANumber : String(value));

const flat = value => (Array.isArray(value) ? value : [value]);

const columnsOf = shape => (shape.length === 0 ? 1 : shape[shape.length - 1]);

// Returns whether to show all numbers of a tensor. Larger tensors are summarized, as in `explain`.
function isSmall(count, shape) {
  const columns = columnsOf(shape);
  return count > 0 && columns <= 8 && count / columns <= 8;
}

function summaryText(values) {
  const finite = values.filter(value => typeof value === 'number');
  if (values.length === 0) return t('compare').noElements;
  if (finite.length === 0) return t('compare').notANumber;
  const mean = finite.reduce((sum, each) => sum + each, 0) / finite.length;
  const square = finite.reduce((sum, each) => sum + (each - mean) ** 2, 0) / finite.length;
  const low = finite.reduce((least, each) => Math.min(least, each));
  const high = finite.reduce((most, each) => Math.max(most, each));
  return t('compare').summary(...[mean, Math.sqrt(square), low, high].map(fixedText));
}

// Returns a table of `cells`, one page element per number, in the rows and blocks of a shape.
function numberGrid(cells, shape) {
  if (shape.length === 0) return cells[0];
  const table = element('table', undefined, 'numbers');
  const columns = columnsOf(shape);
  const height = shape.length > 2 ? shape[shape.length - 2] : Infinity;
  for (let row = 0; row * columns < cells.length; ++row) {
    const line = element('tr', undefined, row > 0 && row % height === 0 ? 'block' : '');
    for (const cell of cells.slice(row * columns, (row + 1) * columns)) {
      const place = element('td');
      place.append(cell);
      line.append(place);
    }
    table.append(line);
  }
  return table;
}

// Shows a value; marks the elements whose indices are in `marks`.
class TensorView {
  constructor(value, shape = [], marks = new Set()) {
    const values = flat(value);
    const small = isSmall(values.length, shape);
    const cells = (small ? values.map(fixedText) : [summaryText(values)]).map((text, i) => {
      const cell = element('span', text, small && marks.has(i) ? 'marked' : '');
      if (small) cell.title = exactText(values[i]);
      return cell;
    });
    this.root = element('div', undefined, 'tensor');
    this.root.append(numberGrid(cells, small ? shape : []));
  }
}
