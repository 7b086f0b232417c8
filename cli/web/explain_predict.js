// Asks for what the present op sends to one element of an input.
class Prediction {
  constructor(page) {
    this.page = page;
    this.root = attributed(element('section', undefined, 'predict'), { 'aria-label': 'Prediction' });
    const { present: step, numbers } = page;
    const sent = numbers.steps[step].sent ?? [];
    const input = sent.findIndex(id => id !== null);
    if (page.isForward || input < 0) {
      this.root.append(element('p', page.isForward
        ? 'Go on to the backward pass: each step then asks what it sends.'
        : 'This step sends nothing.', 'soft'));
      return;
    }
    const from = steps[step].inputs[input];
    const numbersSent = numbers.sent(step, input);
    this.element = largest(numbersSent);
    this.wanted = numbersSent[this.element];
    if (!page.isAsking()) {
      this.root.append(element('p', `${elementName(from, this.element)}: ${fullText(this.wanted)}`, 'answer'));
      return;
    }
    const question = `What does ${step} ${shortName(step)} send to ${elementName(from, this.element)}?`;
    this.input = attributed(element('input'), { id: 'guess', type: 'text', inputmode: 'decimal', autocomplete: 'off' });
    const form = element('form');
    this.verdict = attributed(element('output'), { id: 'verdict' });
    const check = button('Check', () => {});
    check.type = 'submit';
    form.append(labelled(question, this.input), check, button('Reveal', () => this.reveal(false)), this.verdict);
    form.addEventListener('submit', event => {
      event.preventDefault();
      this.check();
    });
    this.root.append(form);
  }

  // Right within one percent, or the digits that were given.
  check() {
    const text = this.input.value.trim().replace(',', '.');
    const guess = Number(text);
    if (text === '' || Number.isNaN(guess)) {
      this.verdict.textContent = 'A number, as in -0.25 or 3e-4.';
      return;
    }
    const digits = (text.split(/e/i)[0].split('.')[1] ?? '').length;
    const exponent = Number(text.split(/e/i)[1] ?? 0);
    const rounding = digits > 0 ? 0.5 * 10 ** (exponent - digits) : 0;
    const isRight = Math.abs(guess - this.wanted) <= Math.max(0.01 * Math.abs(this.wanted), Math.min(rounding, 0.05 * Math.abs(this.wanted)));
    if (isRight) this.reveal(true);
    else this.verdict.textContent = guess * this.wanted < 0 ? 'Not so: look at the sign.' : 'Not so. Another try?';
  }

  reveal(isRight) {
    const { page } = this;
    page.answered.add(page.moment);
    page.right += isRight ? 1 : 0;
    page.score.textContent = `${page.right} of ${page.answered.size} predicted`;
    page.show();
  }
}
