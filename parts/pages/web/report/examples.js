// The section about validation examples: wrong answers, or texts shaded by loss.

// Returns a table row: its name, then tokens in cells.
const tokenRow = (name, tokens, classOf = () => 'span') =>
  [make('span.soft', name), ...tokens.map((token, i) => make(classOf(i), token))];

// Shows a question or image, and below it the predicted and the correct answer, aligned by token.
function mistake({ number, question, image, predicted, right }) {
  const columns = Math.max(predicted.length, right.length);
  const padded = tokens => Array.from({ length: columns }, (_, i) => tokens[i] ?? '∅');
  const isWrong = i => predicted[i] !== right[i];
  const wrong = [...Array(columns).keys()].filter(isWrong).map(i => i + 1);
  const positions = wrong.length > 8 ? [...wrong.slice(0, 8), '…'] : wrong;
  const asked = image ? imageOf(image, `Image of ${right}`) : tokenRow('question', question);
  const grid = make(
    'div.tokens',
    { style: `grid-template-columns: repeat(${columns + 1}, auto)` },
    tokenRow('predicted', padded(predicted), i => (isWrong(i) ? 'span.wrong' : 'span')),
    tokenRow('right', padded(right)),
  );
  const at = `at position${wrong.length === 1 ? '' : 's'} ${positions.join(', ')}`;
  const summary = `${plural(wrong.length, 'token')} of ${right.length} wrong, ${at}`;
  return make(
    'li',
    make('p.soft', `Example ${number} · ${summary}`),
    scrolling(make('div', make('div.tokens.asked', asked), grid), `Example ${number}`),
  );
}

function mistakesPart({ examined, right, of, wrong }, step) {
  const known = `step ${step.toLocaleString('en')}`;
  if (!wrong.length) {
    const all = `all of ${plural(examined, 'validation example')}`;
    return make('p', `At ${known} the model answers ${all} correctly.`);
  }
  const total = of.toLocaleString('en');
  const first = examined.toLocaleString('en');
  const some = examined < of ? `the first ${first} of ${total}` : `all ${total}`;
  const summary =
    `At ${known}, ${right.toLocaleString('en')} of ${some} validation examples are correct; ` +
    `these ${wrong.length} aren't. Wrong tokens are underlined; ∅ is a missing token.`;
  return make('div', make('p.soft', summary), make('ol.mistakes', wrong.map(mistake)));
}

// A text with each token shaded by its loss. `loss` and `likelier` begin after the `given` tokens.
class Sample {
  constructor(sample, hint) {
    Object.assign(this, sample, { hint, at: null });
    this.spans = this.tokens.map((token, i) => this.shaded(token, i - this.given));
    const name =
      `Validation example ${this.number}; left and right arrow keys read it token by token`;
    const text = make(
      'p.text',
      { tabindex: 0, role: 'application', 'aria-label': name },
      {
        onpointerover: event => this.point(this.spans.indexOf(event.target)),
        onpointerleave: () => this.point(-1),
        onblur: () => this.point(-1),
        onkeydown: event => this.onKey(event),
      },
      this.spans,
    );
    this.read = make('p.read.soft', { role: 'status' });
    const mean = this.loss.reduce((sum, each) => sum + each, 0) / Math.max(this.loss.length, 1);
    const heading = make('h3', `Example ${this.number}, mean loss ${mean.toFixed(3)}`);
    this.root = make('div', heading, text, this.read);
    this.point(-1);
  }

  // Returns the shaded element of token `i`, counted from the first predicted token.
  shaded(token, i) {
    const span = make('span', token === '↵' ? '↵\n' : token);
    if (i < 0) return span;
    const loss = this.loss[i];
    if (loss !== null) span.style.setProperty('--loss', Math.min(0.85, loss / 6).toFixed(2));
    if (this.likelier[i] !== null) span.className = 'other';
    return span;
  }

  // Shows the loss of a token; -1 for none.
  point(at) {
    this.at = at;
    this.spans.forEach((span, i) => span.classList.toggle('seen', i === at));
    this.read.textContent = at < 0 ? this.hint : this.reading(at);
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
    this.point(this.at < 0 ? 0 : clamp(this.at + step, 0, this.spans.length - 1));
    event.preventDefault();
  }
}

function samplesPart(samples, step) {
  const hint = 'Point at a token, or use the arrow keys in the text, to read its loss.';
  const legend = make(
    'p.soft',
    `At step ${step.toLocaleString('en')}. Loss of a token, 0`,
    make('span.key'),
    '5 nats or more; dotted underline: another token was more likely.',
  );
  return make('div', legend, samples.map((sample, i) => new Sample(sample, i ? '' : hint).root));
}
