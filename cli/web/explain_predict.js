// What unfolds below a step, and what a student is asked.

// The Jacobians of softmax and norms: of the row that the chosen element is in.
const withJacobian = new Set(['softmax', 'log_softmax', 'logsumexp', 'layer_norm', 'rms_norm']);

function jacobians(page) {
  const { step, numbers } = page;
  const found = [];
  if (withJacobian.has(steps[step].op) && page.valueState(step) === 'shown' && !page.isAsking()) {
    const from = steps[step].inputs[0];
    const slopes = numbers.slopes(step, 0);
    const width = slopes?.width ?? steps[from].shape.at(-1) ?? 1;
    const height = slopes?.height ?? steps[step].shape.at(-1) ?? 1;
    const { step: of, index } = page.element;
    const row = of === from ? Math.floor(index / width) : of === step ? Math.floor(index / height) : 0;
    if (slopes !== null) {
      const matrix = new Float64Array(height * width);
      for (let i = 0; i < height; ++i)
        for (const { element: at, slope } of numbers.termsOf(step, 0, row * height + i))
          matrix[i * width + (at % width)] = slope;
      const title = `Jacobian of ${shortName(step)}, row ${row}: slope of each result by each input`;
      found.push(jacobian(title, [height, width], matrix));
    }
  }
  for (const norm of numbers.norms)
    if (norm.module === steps[step].module && page.valueState(norm.to) === 'shown' && !page.isAsking())
      found.push(jacobian(
        `Jacobian of the whole ${norm.module}, row ${norm.row}: from ${norm.from} to ${norm.to}`,
        [norm.width, norm.width], list(norm.slopes)));
  return found;
}

function jacobian(title, shape, numbers) {
  const box = element('details', undefined, 'jacobian');
  box.append(element('summary', title));
  const show = () => {
    if (box.children.length > 1) return;
    const nameOf = i => `∂y[${Math.floor(i / shape[1])}] / ∂x[${i % shape[1]}] =`;
    const note = 'A row is a result, a column an input. Each slope is what the engine gave for a gradient of 1 there.';
    box.append(element('p', note, 'soft'), new TensorMap({ name: title, shape, numbers, nameOf }).root);
  };
  box.firstChild.addEventListener('click', show);
  return box;
}

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
