// The selected element: how it was computed, and its gradient as a sum of contributions. The page
// computes only the products in the table; the command has computed all other numbers.
const fewTerms = 8; // number of terms shown before the reader unfolds all

class ElementView {
  // go(step, element) is called when the reader selects another element.
  constructor(go) {
    this.go = go;
    this.root = make('section.element', { 'aria-label': t('element') });
  }

  show(page) {
    this.page = page;
    const { step, index, numbers, trace } = page;
    const gradient = page.stateOf('gradient', step);
    const fact = (name, text) =>
      make('div', make('dt', t(name)), make(`dd.${name.split(' ')[0]}`, text));
    const numberOf = what => {
      const state = page.stateOf(what, step);
      if (state === 'shown') return trace.fullText(numbers[what](step)[index]);
      return what === 'tangent' && state === 'none' ? t('noTangent') : page.said(state);
    };
    this.root.replaceChildren(
      make('h3', trace.elementOf(step, index)),
      make(
        'dl.facts',
        fact('value', numberOf('value')),
        trace.hasTangents && fact('tangent', numberOf('tangent')),
        fact('gradient', numberOf('gradient')),
        fact('finite difference', this.differenceText(gradient)),
      ),
      make(
        'div.ways',
        trace.isOp(step) && this.madeFrom(step, index),
        gradient !== 'none' && this.sentBy(step, index),
      ),
    );
  }

  differenceText(gradient) {
    const { step, index, numbers, trace } = this.page;
    const full = number => trace.fullText(number);
    if (gradient !== 'shown') return this.page.said(gradient);
    const difference = numbers.difference(step, index);
    if (step === trace.last) return t('startsHere');
    if (difference === undefined) return t('notMeasured');
    const kink = numbers.kink(step, index);
    if (kink) return t('onKink', full(difference), kink.map(full));
    const isNoise = difference !== 0 && Math.abs(difference) < 1e-11;
    return isNoise ? t('belowRounding', full(difference)) : full(difference);
  }

  link(text, step, index) {
    const title = index === null ? undefined : this.page.trace.elementOf(step, index);
    return button(text, () => this.go(step, index), { class: 'link', title });
  }
  elementLink(step, index) {
    const { trace } = this.page;
    return this.link(trace.elementOf(step, index, `${step} ${trace.shortName(step)}`), step, index);
  }

  // Shows a term's slope; if the slope is the value of an element, links to that element.
  factor({ slope, by }) {
    const text = numberText(slope);
    return by ? this.link(text, by.step, by.element) : text;
  }

  // Returns a table of terms. `heads` names the columns, and cells(term) returns a row's cells.
  table(heads, terms, cells) {
    const result = table(heads, terms.map(cells), 'table.terms');
    const rest = [...result.tBodies[0].rows].slice(fewTerms);
    for (const row of rest) row.hidden = true;
    const more = button(t('showAll', terms.length), () => {
      for (const row of rest) row.hidden = false;
      more.remove();
    });
    return make('div', scrolling(result, heads.join(', ')), rest.length > 0 && more);
  }

  madeFrom(step, index) {
    const { numbers, trace, predicting } = this.page;
    const { formula, op, inputs } = trace.steps[step];
    const title = make('h4', t('howComputed', formula ?? op));
    if (this.page.stateOf('value', step) !== 'shown')
      return make('div.made', title, make('p.unknown', this.page.said('not yet')));
    let isWhole = true;
    const terms = inputs.flatMap((from, input) => {
      if (from < 0) return [];
      const some = numbers.hasGradient(step) ? numbers.termsOf(step, input, index) : null;
      isWhole = isWhole && (some !== null || numbers.steps[step].sent?.[input] === null);
      return (some ?? []).map(({ element: at, slope, by }) => ({
        ...{ from, at, slope, by },
        value: numbers.value(from)[at],
        tangent: numbers.hasTangent(from) ? numbers.tangent(from)[at] : 0,
      }));
    });
    terms.sort((a, b) => Math.abs(b.value * b.slope) - Math.abs(a.value * a.slope));
    const isHidden = predicting.isAsking();
    // The tangent is the sum of the products.
    const forward = trace.hasTangents ? [t('timesTangent'), t('product')] : [];
    const cells = term => {
      const { from, at, value, tangent, slope } = term;
      const product = isHidden ? '?' : numberText(slope * tangent);
      return [
        ...[this.elementLink(from, at), numberText(value), isHidden ? '?' : this.factor(term)],
        ...(trace.hasTangents ? [numberText(tangent), product] : []),
      ];
    };
    const heads = [t('from'), t('value'), t('localDerivative'), ...forward];
    return make(
      'div.made',
      title,
      !isWhole && make('p.soft', t('noSlopes')),
      terms.length > 0 && this.table(heads, terms, cells),
    );
  }

  // Shows the contributions to an element's gradient by use. If the input was broadcast, a use has
  // several terms.
  sentBy(step, index) {
    const { trace } = this.page;
    const uses = trace.uses[step];
    const ways = ['gradientOf', 'gradientOne'][uses.length] ?? 'gradientSum';
    const title = t(step === trace.last ? 'gradientStarts' : ways, uses.length);
    return make('div.sum', make('h4', title), uses.map(use => this.contribution(step, index, use)));
  }

  contribution(step, index, { step: user, input }) {
    const { page } = this;
    const { numbers, trace } = page;
    const state = page.sentState(user, input);
    const isShown = state === 'shown';
    const text = isShown ? numberText(numbers.sent(user, input)[index]) : page.said(state);
    const summed = trace.steps[user].summed?.[input];
    const head = make(
      'p',
      ...[`${t('by')} `, this.link(`${user} ${trace.shortName(user)}`, user, null), ': '],
      make(isShown ? 'b.sent' : 'b.sent.unknown', text),
      summed && make('span.mark', t('summedOver', summed)),
    );
    if (!isShown) return make('div.use', head);
    const found = numbers.usesOf(user, input, index);
    if (found === null) return make('div.use', head, make('p.soft', t('noSlopes')));
    const gradient = numbers.gradient(user);
    const terms = found
      .map(({ element: at, slope, by }) => ({ at, slope, by, gradient: gradient[at] }))
      .filter(term => term.slope !== 0);
    terms.sort((a, b) => Math.abs(b.gradient * b.slope) - Math.abs(a.gradient * a.slope));
    const cells = term => [
      this.elementLink(user, term.at),
      numberText(term.gradient),
      this.factor(term),
      numberText(term.gradient * term.slope),
    ];
    const heads = [t('through'), t('itsGradient'), t('timesLocal'), t('product')];
    return make('div.use', head, terms.length > 0 && this.table(heads, terms, cells));
  }
}
