// A number that the reader types or changes with the arrow keys.

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

const stepsOfKeys = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 };

class Spin {
  // Calls moved(text) after each change.
  constructor(name, isWhole, moved) {
    Object.assign(this, { moved, isWhole });
    this.root = make('input.spin', {
      ...{ role: 'spinbutton', inputmode: 'decimal', autocomplete: 'off' },
      ...{ 'aria-label': name, title: t('spinHint') },
      onkeydown: event => this.onKey(event),
      onchange: () => this.type(),
    });
  }

  // Shows a number. The step size doesn't change while the reader moves the number, even past 0.
  show(text) {
    if (text === this.text) return;
    if (text !== this.own) this.power = powerOf(text, this.isWhole);
    this.text = text;
    this.root.value = text;
    attributed(this.root, { 'aria-valuenow': Number(text), 'aria-valuetext': text });
  }
  set(text) {
    if (text === this.text) return;
    this.own = text;
    this.show(text);
    this.moved(text);
  }
  move(steps) {
    const whole = Math.round(Number(this.text) / 10 ** this.power + steps);
    // Division by a power of ten gives the nearest double; multiplication might not.
    const value = this.power < 0 ? whole / 10 ** -this.power : whole * 10 ** this.power;
    this.set(String(value + 0));
  }
  type() {
    const text = plainNumber(this.root.value);
    if (isNumber(text)) this.set(text);
    this.root.value = this.text;
  }

  onKey(event) {
    if (hasModifier(event) || !(event.key in stepsOfKeys)) return;
    event.preventDefault();
    this.move(stepsOfKeys[event.key]);
  }
}
