// The question for the gradient that the current op sends to one element of an input.
class Prediction {
  constructor(page) {
    this.page = page;
    this.root = element('section', undefined, 'predict');
    this.root.setAttribute('aria-label', 'Prediction');
    const { present: step, numbers } = page;
    const input = (numbers.steps[step].sent ?? []).findIndex(id => id !== null);
    if (page.isForward || input < 0) {
      const later = 'Go to the backward pass: each step asks for the gradient that it sends.';
      const text = page.isForward ? later : 'This step sends no gradient.';
      this.root.append(element('p', text, 'soft'));
      return;
    }
    const from = steps[step].inputs[input];
    const sent = numbers.sent(step, input);
    const asked = largest(sent);
    const name = elementOf(from, asked);
    this.wanted = sent[asked];
    if (!page.isAsking()) {
      this.root.append(element('p', `${name}: ${fullText(this.wanted)}`, 'answer'));
      return;
    }
    const attributes = { id: 'guess', type: 'text', inputmode: 'decimal', autocomplete: 'off' };
    this.input = attributed(element('input'), attributes);
    this.verdict = attributed(element('output'), { id: 'verdict' });
    const check = button('Check', () => {});
    check.type = 'submit';
    const form = element('form');
    form.append(
      labelled(`What gradient does ${step} ${shortName(step)} send to ${name}?`, this.input),
      check,
      button('Reveal', () => this.reveal(false)),
      this.verdict,
    );
    form.addEventListener('submit', event => {
      event.preventDefault();
      this.check();
    });
    this.root.append(form);
  }

  check() {
    const text = this.input.value.trim().replace(',', '.');
    const guess = Number(text);
    if (text === '' || Number.isNaN(guess)) {
      this.verdict.textContent = 'Enter a number, such as -0.25 or 3e-4.';
      return;
    }
    if (isNear(text, this.wanted)) this.reveal(true);
    else if (guess * this.wanted < 0) this.verdict.textContent = 'Wrong: check the sign.';
    else this.verdict.textContent = 'Wrong. Try again.';
  }

  reveal(isRight) {
    const { page } = this;
    page.answered.add(page.moment);
    page.right += isRight ? 1 : 0;
    page.score.textContent = `${page.right} of ${page.answered.size} predicted`;
    page.show();
  }
}
