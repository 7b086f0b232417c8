// Numbers that the reader changes by dragging them or with the arrow keys.

const isNumber = text => text.trim() !== '' && Number.isFinite(Number(text));

// Returns the numbers, with their positions, in the text of a value: `2`, `[1, 2]` or
// `[1, 2; 3, 4]`. Returns null for other texts: randn(3, 4), a file, or numbers that aren't finite.
function numbersIn(text) {
  if (!/^\[.*\]$/.test(text) && !isNumber(text)) return null;
  const matches = [...text.matchAll(/[^\s,;[\]]+/g)];
  const found = matches.map(({ 0: number, index }) => ({ text: number, at: index }));
  return found.every(each => isNumber(each.text)) ? found : null;
}

// Returns the exponent of the power of ten by which a key changes a number: the place of its last
// digit, but from 1/100 of its size to its size. Ids and targets change by 1.
function powerOf(text, isWhole) {
  if (isWhole) return 0;
  const [digits, exponent = '0'] = text.toLowerCase().split('e');
  const last = Number(exponent) - Math.max(1, (digits.split('.')[1] ?? '').length);
  const size = Math.abs(Number(text));
  if (size === 0) return Math.max(last, -3);
  const power = Math.floor(Math.log10(size));
  return clamp(last, power - 2, power);
}

const pixels = 3; // distance to drag for one step

// Number of steps for each key.
const stepsOfKeys = {
  ArrowUp: 1,
  ArrowRight: 1,
  ArrowDown: -1,
  ArrowLeft: -1,
  PageUp: 10,
  PageDown: -10,
};

class Spin {
  // Calls moved(text) after each change and edit() when the reader presses Enter or double-clicks.
  constructor(name, isWhole, { moved, edit }) {
    this.moved = moved;
    this.isWhole = isWhole;
    this.root = attributed(element('span', '', 'spin'), {
      role: 'spinbutton',
      tabindex: 0,
      'aria-label': name,
      title: 'drag, or use the arrow keys; Enter to type',
    });
    this.root.addEventListener('keydown', event => this.onKey(event, edit));
    this.root.addEventListener('dblclick', edit);
    this.root.addEventListener('pointerdown', event => this.begin(event));
    this.root.addEventListener('pointermove', event => this.drag(event));
    this.root.addEventListener('lostpointercapture', () => this.end());
  }

  // Shows a number. The step size doesn't change while the reader moves the number, even past 0.
  show(text) {
    if (text === this.text) return;
    if (text !== this.own) this.power = powerOf(text, this.isWhole);
    this.text = text;
    this.root.textContent = text;
    attributed(this.root, { 'aria-valuenow': Number(text), 'aria-valuetext': text });
  }

  move(from, steps) {
    if (steps === 0) return;
    const whole = Math.round(Number(from) / 10 ** this.power + steps);
    // Division by a power of ten gives the nearest double; multiplication might not.
    const value = this.power < 0 ? whole / 10 ** -this.power : whole * 10 ** this.power;
    this.set(String(value + 0));
  }
  set(text) {
    if (text === this.text) return;
    this.own = text;
    this.show(text);
    this.moved(text);
  }

  onKey(event, edit) {
    if (hasModifier(event)) return;
    if (!(event.key in stepsOfKeys) && event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Enter') edit();
    else this.move(this.text, stepsOfKeys[event.key]);
  }

  begin(event) {
    if (event.button !== 0) return;
    event.preventDefault(); // prevents text selection
    this.root.focus();
    this.root.setPointerCapture(event.pointerId);
    this.dragged = { x: event.clientX, from: this.text };
    this.root.classList.add('dragged');
  }
  drag(event) {
    if (!this.dragged) return;
    const steps = Math.round((event.clientX - this.dragged.x) / pixels);
    if (steps === 0) this.set(this.dragged.from);
    else this.move(this.dragged.from, steps);
  }
  end() {
    this.dragged = null;
    this.root.classList.remove('dragged');
  }
}

// The numbers of one tensor as a grid of spin buttons.
class SpinGrid {
  constructor(name, numbers, shape, isWhole, { moved, edit }) {
    this.spins = numbers.map(
      (_, i) =>
        new Spin(elementName(name, i, shape), isWhole, {
          moved: text => moved(name, i, text),
          edit: () => edit(name, i),
        }),
    );
    this.root = element('div', undefined, 'tensor');
    this.root.append(gridOf(this.spins.map(spin => spin.root), shape));
  }
  show(numbers) {
    numbers.forEach(({ text }, i) => this.spins[i].show(text));
  }
}
