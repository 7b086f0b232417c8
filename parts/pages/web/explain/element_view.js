// The selected element: how it was computed, and its gradient as a sum of contributions. The page
// computes only the products in the table; the command has computed all other numbers.
const fewTerms = 8; // number of terms shown before the reader unfolds all

class ElementView {
  // go(step, element) is called when the reader selects another element.
  constructor(go) {
    this.go = go;
    this.root = attributed(element('section'), { class: 'element', 'aria-label': t('element') });
  }

  show(page) {
    this.page = page;
    const { step, index } = page.element;
    const { numbers, trace } = page;
    const facts = element('dl', undefined, 'facts');
    const fact = (name, text) => {
      const pair = element('div');
      pair.append(element('dt', t(name)), element('dd', text, name.split(' ')[0]));
      facts.append(pair);
    };
    const known = page.stateOf('value', step) === 'shown';
    const gradient = page.gradientState(step);
    fact('value', known ? trace.fullText(numbers.value(step)[index]) : page.said('not yet'));
    if (trace.hasTangents) fact('tangent', this.tangentText(step, index));
    const came = gradient === 'shown' && trace.fullText(numbers.gradient(step)[index]);
    fact('gradient', came || page.said(gradient));
    fact('finite difference', this.differenceText(step, index, gradient));
    const heading = element('h3', trace.elementOf(step, index));
    const ways = element('div', undefined, 'ways');
    if (trace.isOp(step)) ways.append(this.madeFrom(step, index, known));
    if (gradient !== 'none') ways.append(this.sentBy(step, index));
    this.root.replaceChildren(heading, facts, ways);
  }

  tangentText(step, index) {
    const { page } = this;
    const state = page.stateOf('tangent', step);
    if (state === 'shown') return page.trace.fullText(page.numbers.tangent(step)[index]);
    return state === 'none' ? t('noTangent') : page.said(state);
  }

  differenceText(step, index, gradient) {
    const { numbers, trace } = this.page;
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

  link(step, index) {
    const { trace } = this.page;
    const name = trace.elementOf(step, index, `${step} ${trace.shortName(step)}`);
    const result = button(name, () => this.go(step, index));
    result.className = 'link';
    result.title = trace.elementOf(step, index);
    result.dataset.element = index;
    return result;
  }

  // Shows a term's slope; if the slope is the value of an element, links to that element.
  factor({ slope, by }) {
    const text = numberText(slope);
    if (!by) return text;
    const result = button(text, () => this.go(by.step, by.element));
    result.className = 'link';
    result.title = this.page.trace.elementOf(by.step, by.element);
    return result;
  }

  // Returns a table of terms. `head` names the columns, and cells(term) returns a row's cells.
  table(head, terms, cells) {
    const result = element('table', undefined, 'terms');
    const line = element('tr');
    line.append(...head.map(text => attributed(element('th', text), { scope: 'col' })));
    const body = element('tbody');
    const rows = terms.map(term => {
      const row = element('tr');
      for (const content of cells(term)) {
        const cell = element('td');
        cell.append(content);
        row.append(cell);
      }
      return row;
    });
    body.append(...rows.slice(0, fewTerms));
    result.append(line, body);
    const box = element('div');
    box.append(scrolling(result, head.join(', ')));
    if (rows.length > fewTerms) {
      const more = button(t('showAll', rows.length), () => {
        body.append(...rows.slice(fewTerms));
        more.remove();
      });
      box.append(more);
    }
    return box;
  }

  madeFrom(step, index, known) {
    const { numbers, trace } = this.page;
    const { formula, op, inputs } = trace.steps[step];
    const box = element('div', undefined, 'made');
    box.append(element('h4', t('howComputed', formula ?? op)));
    if (!known) {
      box.append(element('p', this.page.said('not yet'), 'unknown'));
      return box;
    }
    const terms = [];
    let isWhole = true;
    inputs.forEach((from, input) => {
      if (from < 0) return;
      const some = numbers.hasGradient(step) ? numbers.termsOf(step, input, index) : null;
      isWhole = isWhole && (some !== null || numbers.steps[step].sent?.[input] === null);
      for (const { element: at, slope, by } of some ?? [])
        terms.push({
          from,
          at,
          slope,
          by,
          value: numbers.value(from)[at],
          tangent: numbers.hasTangent(from) ? numbers.tangent(from)[at] : 0,
        });
    });
    if (!isWhole)
      box.append(element('p', t('noSlopes'), 'soft'));
    terms.sort((a, b) => Math.abs(b.value * b.slope) - Math.abs(a.value * a.slope));
    const hidden = this.page.predicting.isAsking();
    if (terms.length === 0) return box;
    // The tangent is the sum of the products.
    const forward = trace.hasTangents ? [t('timesTangent'), t('product')] : [];
    box.append(
      this.table([t('from'), t('value'), t('localDerivative'), ...forward], terms, term => {
        const { value, tangent, slope } = term;
        const cells = [this.link(term.from, term.at), numberText(value)];
        cells.push(hidden ? '?' : this.factor(term));
        if (trace.hasTangents) cells.push(numberText(tangent), hidden ? '?' : numberText(slope * tangent));
        return cells;
      }),
    );
    return box;
  }

  // Shows the contributions to an element's gradient by use. If the input was broadcast, a use has
  // several terms.
  sentBy(step, index) {
    const { trace } = this.page;
    const box = element('div', undefined, 'sum');
    const count = trace.uses[step].length;
    const title =
      step === trace.last
        ? t('gradientStarts')
        : count > 1
          ? t('gradientSum', count)
          : t(count === 1 ? 'gradientOne' : 'gradientOf');
    box.append(element('h4', title));
    for (const use of trace.uses[step]) box.append(this.contribution(step, index, use));
    return box;
  }

  contribution(step, index, { step: user, input }) {
    const { page } = this;
    const { numbers, trace } = page;
    const box = element('div', undefined, 'use');
    const state = page.sentState(user, input);
    const head = element('p');
    const to = button(`${user} ${trace.shortName(user)}`, () => this.go(user, null));
    to.className = 'link';
    head.append(`${t('by')} `, to, ': ');
    const isShown = state === 'shown';
    const text = isShown ? numberText(numbers.sent(user, input)[index]) : page.said(state);
    head.append(element('b', text, isShown ? 'sent' : 'sent unknown'));
    const summed = trace.steps[user].summed?.[input];
    if (summed) head.append(element('span', t('summedOver', summed), 'mark'));
    box.append(head);
    if (!isShown) return box;
    const found = numbers.usesOf(user, input, index);
    if (found === null) {
      box.append(element('p', t('noSlopes'), 'soft'));
      return box;
    }
    const gradient = numbers.gradient(user);
    const terms = found
      .map(({ element: at, slope, by }) => ({ at, slope, by, gradient: gradient[at] }))
      .filter(term => term.slope !== 0);
    terms.sort((a, b) => Math.abs(b.gradient * b.slope) - Math.abs(a.gradient * a.slope));
    if (terms.length === 0) return box;
    box.append(
      this.table([t('through'), t('itsGradient'), t('timesLocal'), t('product')], terms, term => [
        this.link(user, term.at),
        numberText(term.gradient),
        this.factor(term),
        numberText(term.gradient * term.slope),
      ]),
    );
    return box;
  }
}
