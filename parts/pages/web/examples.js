// The section about validation examples: wrong answers, or texts shaded by loss.

// Returns a table row: its name, then tokens in cells.
function tokenRow(name, tokens, classOf = () => '') {
  const cells = tokens.map((token, i) => element('span', token, classOf(i)));
  return [element('span', name, 'soft'), ...cells];
}

// Shows a question or image, and below it the predicted and the correct answer, aligned by token.
function mistake({ number, question, image, predicted, right }) {
  const columns = Math.max(predicted.length, right.length);
  const padded = tokens => Array.from({ length: columns }, (_, i) => tokens[i] ?? '∅');
  const isWrong = i => predicted[i] !== right[i];
  const wrong = [...Array(columns).keys()].filter(isWrong).map(i => i + 1);
  const positions = wrong.length > 8 ? [...wrong.slice(0, 8), '…'] : wrong;

  const asked = element('div', undefined, 'tokens asked');
  asked.append(...(image ? [imageOf(image, `Image of ${right}`)] : tokenRow('question', question)));
  const grid = element('div', undefined, 'tokens');
  grid.style.gridTemplateColumns = `repeat(${columns + 1}, auto)`;
  grid.append(
    ...tokenRow('predicted', padded(predicted), i => (isWrong(i) ? 'wrong' : '')),
    ...tokenRow('right', padded(right)),
  );
  const both = element('div');
  both.append(asked, grid);
  const at = `at position${wrong.length === 1 ? '' : 's'} ${positions.join(', ')}`;
  const summary = `${plural(wrong.length, 'token')} of ${right.length} wrong, ${at}`;
  const item = element('li');
  item.append(
    element('p', `Example ${number} · ${summary}`, 'soft'),
    scrolling(both, `Example ${number}`),
  );
  return item;
}

function mistakesPart({ examined, right, of, wrong }, step) {
  const result = element('div');
  const known = `step ${step.toLocaleString('en')}`;
  if (!wrong.length) {
    const all = `all of ${plural(examined, 'validation example')}`;
    result.append(element('p', `At ${known} the model answers ${all} correctly.`));
    return result;
  }
  const total = of.toLocaleString('en');
  const first = examined.toLocaleString('en');
  const some = examined < of ? `the first ${first} of ${total}` : `all ${total}`;
  const summary =
    `At ${known}, ${right.toLocaleString('en')} of ${some} validation examples are correct; ` +
    `these ${wrong.length} aren't. Wrong tokens are underlined; ∅ is a missing token.`;
  const list = element('ol', undefined, 'mistakes');
  list.append(...wrong.map(mistake));
  result.append(element('p', summary, 'soft'), list);
  return result;
}

// A text with each token shaded by its loss. `loss` and `likelier` begin after the `given` tokens.
class Sample {
  constructor(sample, hint) {
    Object.assign(this, sample, { hint, at: null });
    this.text = attributed(element('p', undefined, 'text'), {
      tabindex: 0,
      role: 'application',
      'aria-label':
        `Validation example ${this.number}; ` +
        'left and right arrow keys read it token by token',
    });
    this.spans = this.tokens.map((token, i) => this.shaded(token, i - this.given));
    this.text.append(...this.spans);
    this.read = attributed(element('p', undefined, 'read soft'), { role: 'status' });
    const mean = this.loss.reduce((sum, each) => sum + each, 0) / Math.max(this.loss.length, 1);
    const heading = element('h3', `Example ${this.number}, mean loss ${mean.toFixed(3)}`);
    this.root = element('div');
    this.root.append(heading, this.text, this.read);
    this.text.addEventListener('pointerover', event => {
      const i = this.spans.indexOf(event.target);
      if (i >= 0) this.point(i);
    });
    this.text.addEventListener('pointerleave', () => this.point(null));
    this.text.addEventListener('blur', () => this.point(null));
    this.text.addEventListener('keydown', event => this.onKey(event));
    this.point(null);
  }

  // Returns the shaded element of token `i`, counted from the first predicted token.
  shaded(token, i) {
    const span = element('span', token === '↵' ? '↵\n' : token);
    if (i < 0) return span;
    const loss = this.loss[i];
    if (loss !== null) span.style.setProperty('--loss', Math.min(0.85, loss / 6).toFixed(2));
    if (this.likelier[i] !== null) span.className = 'other';
    return span;
  }

  point(at) {
    if (this.at !== null) this.spans[this.at].classList.remove('seen');
    this.at = at;
    if (at !== null) this.spans[at].classList.add('seen');
    this.read.textContent = at === null ? this.hint : this.reading(at);
  }

  reading(at) {
    const name = this.tokens[at] === ' ' ? '␣' : this.tokens[at];
    const i = at - this.given;
    if (i < 0) return `${name} is part of the prompt`;
    const loss = this.loss[i] === null ? 'not a number' : this.loss[i].toFixed(3);
    const percent = Number((100 * Math.exp(-this.loss[i])).toPrecision(3));
    const other =
      this.likelier[i] === null ? 'the most likely token' : `more likely: ${this.likelier[i]}`;
    return `${name} · loss ${loss} · probability ${percent} % · ${other}`;
  }

  onKey(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || hasModifier(event)) return;
    this.point(this.at === null ? 0 : clamp(this.at + step, 0, this.spans.length - 1));
    event.preventDefault();
  }
}

function samplesPart(samples, step) {
  const legend = element('p', `At step ${step.toLocaleString('en')}. Loss of a token, 0`, 'soft');
  legend.append(
    element('span', '', 'key'),
    '5 nats or more; dotted underline: another token was more likely.',
  );
  const hint = 'Point at a token, or use the arrow keys in the text, to read its loss.';
  const result = element('div');
  result.append(legend, ...samples.map((sample, i) => new Sample(sample, i ? '' : hint).root));
  return result;
}
