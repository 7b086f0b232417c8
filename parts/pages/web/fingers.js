// What screens of fingers and small windows need.

const hasFingers = matchMedia('(max-width: 600px), (pointer: coarse)');

// The cells around the selected cell of a map, large enough to tap. Styles hide it on screens with a
// mouse.
class Magnifier {
  // cellAt(row, column) returns { name, text, background } of a cell, and pick(row, column) is called
  // for a tapped one.
  constructor(cellAt, pick) {
    Object.assign(this, { cellAt, pick });
    this.root = make('div.magnifier', {
      role: 'group',
      'aria-label': t('around'),
    });
    this.hide();
  }

  hide() {
    this.root.hidden = true;
  }

  // Shows the cells around one of `rows` × `columns`.
  show(row, column, rows, columns) {
    const around = (at, count, all) => {
      const first = clamp(at - (count >> 1), 0, Math.max(0, all - count));
      return Array.from({ length: Math.min(count, all) }, (_, i) => first + i);
    };
    const [high, wide] = [around(row, 3, rows), around(column, 5, columns)];
    const cells = high.flatMap(y => wide.map(x => this.makeCell(y, x, y === row && x === column)));
    const hadFocus = this.root.contains(document.activeElement);
    this.root.style.setProperty('--columns', wide.length);
    this.root.replaceChildren(...cells);
    this.root.hidden = false;
    if (hadFocus) this.root.querySelector('[aria-current]').focus({ preventScroll: true });
  }

  makeCell(row, column, isChosen) {
    const { name, text, background } = this.cellAt(row, column);
    const cell = button(text, () => this.pick(row, column));
    cell.setAttribute('aria-label', `${name} ${text}`);
    if (isChosen) cell.setAttribute('aria-current', 'true');
    cell.style.background = background;
    return cell;
  }
}

// Lets a panel that stays in view be higher than the window: sticks at its lower end, too.
function stickWhole(panel) {
  const measure = () => panel.style.setProperty('--height', `${panel.offsetHeight}px`);
  new ResizeObserver(measure).observe(panel);
}
