// An exercise: the reader predicts each row's gradient, from the result backward, by its largest
// element. Gradients and finite differences not yet predicted are hidden.

class Prediction {
  constructor(update) {
    this.update = update;
    this.isOn = false;
    this.box = attributed(element('input'), { type: 'checkbox' });
    this.from = element('select');
    this.score = attributed(element('p', '', 'verdict predicted'), { role: 'status' });
    this.controls = element('div', undefined, 'choose');
    const predict = labelled('Predict the gradients', this.box);
    predict.prepend(this.box);
    this.fromLabel = labelled('from row', this.from);
    this.controls.append(predict, this.fromLabel);
    this.box.addEventListener('change', () => this.restart());
    this.from.addEventListener('change', () => this.restart());
    this.makeForm();
  }

  makeForm() {
    this.form = element('form', undefined, 'ask');
    this.guess = attributed(element('input'), { inputmode: 'text', autocomplete: 'off', size: 8 });
    this.name = element('span');
    const question = labelled('', this.guess);
    question.prepend(this.name);
    const check = Object.assign(element('button', 'Check'), { type: 'submit' });
    this.form.append(question, check, button('Reveal', () => this.settle(null)));
    this.form.addEventListener('submit', event => {
      event.preventDefault();
      this.check();
    });
  }

  // Starts with a new tape, without answers.
  begin(lines) {
    this.lines = lines;
    const all = lines.flatMap(({ gradient }, at) => (gradient === undefined ? [] : [at]));
    this.rows = all.slice(0, -1).reverse(); // the last row is the result, whose gradient is given
    setOptions(this.from, this.rows.map(at => `${at} ${lines[at].op}`), this.rows);
    this.box.disabled = this.rows.length === 0;
    if (this.rows.length === 0) this.box.checked = false;
    this.reset();
  }

  reset() {
    this.isOn = this.box.checked;
    this.fromLabel.hidden = !this.isOn;
    this.next = this.isOn ? Number(this.from.value) : -1;
    this.right = 0;
    this.answered = new Map(); // outcome by row
    this.score.textContent = '';
  }

  restart() {
    this.reset();
    this.update();
    if (this.isOn) this.guess.focus();
  }

  stateOf(at) {
    if (!this.isOn || at > this.next) return 'shown';
    return at === this.next ? 'asked' : 'hidden';
  }

  // Shows the question in the row to predict, and the outcome in an answered row.
  place(row, state) {
    const { gradientCell, line, at } = row;
    if (state === 'asked') {
      const { name } = this.asked();
      this.name.textContent = `d ${name}`;
      if (this.form.parentNode !== gradientCell) gradientCell.append(this.form);
    } else if (this.form.parentNode === gradientCell) {
      this.form.remove();
    }
    row.root.classList.toggle('asked', state === 'asked');
    const went = state === 'shown' ? (this.answered.get(at) ?? '') : '';
    gradientCell.dataset.went = line.gradient === undefined ? '' : went;
  }

  asked() {
    const { op, gradient, shape = [] } = this.lines[this.next];
    const at = largest(flat(gradient));
    return { name: elementName(op, at, shape), wanted: flat(gradient)[at] };
  }

  check() {
    const text = this.guess.value.trim().replace(',', '.').replace('−', '-');
    if (!isNumber(text)) {
      this.score.textContent = 'Enter a number, such as -0.25 or 3e-4.';
      return;
    }
    this.settle(isNear(text, this.asked().wanted), text);
  }

  // Records the outcome and asks for the row before. `isRight` is null if the reader gave up.
  settle(isRight, text = '') {
    const { name, wanted } = this.asked();
    const hadFocus = this.form.contains(document.activeElement);
    if (isRight) ++this.right;
    this.answered.set(this.next, isRight ? '✓' : isRight === false ? `✗ ${text}` : '');
    const went = isRight ? 'Correct' : isRight === false ? `Not ${text}` : 'Revealed';
    this.next = this.rows.find(at => at < this.next) ?? -1;
    const count = `${this.right} of ${this.answered.size} correct`;
    const end = this.next < 0 ? '; that was the last.' : '.';
    this.score.textContent = `${went}: d ${name} is ${numberText(wanted)}. ${count}${end}`;
    this.guess.value = '';
    this.update();
    if (hadFocus) (this.next < 0 ? this.box : this.guess).focus();
  }
}
