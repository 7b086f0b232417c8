// The selected element: how it was computed, and its gradient as a sum of contributions. The page
// computes only the products in the table; the command has computed all other numbers.
const fewTerms = 8; // number of terms shown before the reader unfolds all

class ElementView {
  // go(step, element) is called when the reader selects another element.
  constructor(go) {
    this.go = go;
    this.root = attributed(element('section'), { id: 'element', 'aria-label': 'Element' });
  }

  show(page) {
    this.page = page;
    const { step, index } = page.element;
    const { numbers } = page;
    const facts = element('dl', undefined, 'facts');
    const fact = (name, text, id) => {
      const pair = element('div');
      pair.append(element('dt', name), attributed(element('dd', text), { id }));
      facts.append(pair);
    };
    const known = page.valueState(step) === 'shown';
    const gradient = page.gradientState(step);
    fact('value', known ? fullText(numbers.value(step)[index]) : page.said('not yet'), 'value');
    if (hasTangents) fact('tangent', this.tangentText(step, index), 'tangent');
    const came = gradient === 'shown' && fullText(numbers.gradient(step)[index]);
    fact('gradient', came || page.said(gradient), 'gradient');
    fact('finite difference', this.differenceText(step, index, gradient), 'difference');
    const heading = element('h3', elementOf(step, index));
    const ways = element('div', undefined, 'ways');
    if (isOp(step)) ways.append(this.madeFrom(step, index, known));
    if (gradient !== 'none') ways.append(this.sentBy(step, index));
    this.root.replaceChildren(heading, facts, ways);
  }

  tangentText(step, index) {
    const state = this.page.tangentState(step);
    if (state === 'shown') return fullText(this.page.numbers.tangent(step)[index]);
    return state === 'none' ? 'none: independent of the direction' : this.page.said(state);
  }

  differenceText(step, index, gradient) {
    if (gradient !== 'shown') return page.said(gradient);
    const difference = this.page.numbers.difference(step, index);
    if (step === last) return 'none: the backward pass starts here';
    if (difference === undefined) return 'not measured';
    const kink = this.page.numbers.kink(step, index);
    if (kink) return `${fullText(difference)}, on a kink between ${kink.map(fullText).join(' and ')}`;
    const isNoise = Math.abs(difference) < 1e-11;
    return fullText(difference) + (isNoise ? ', below rounding error' : '');
  }

  link(step, index) {
    const name = elementOf(step, index, `${step} ${shortName(step)}`);
    const result = button(name, () => this.go(step, index));
    result.className = 'link';
    result.title = elementOf(step, index);
    result.dataset.element = index;
    return result;
  }

  // Shows a term's slope; if the slope is the value of an element, links to that element.
  factor({ slope, by }) {
    const text = numberText(slope);
    if (!by) return text;
    const result = button(text, () => this.go(by.step, by.element));
    result.className = 'link';
    result.title = `the value of ${elementOf(by.step, by.element)}`;
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
      const more = button(`show all ${rows.length} terms`, () => {
        body.append(...rows.slice(fewTerms));
        more.remove();
      });
      box.append(more);
    }
    return box;
  }

  madeFrom(step, index, known) {
    const box = attributed(element('div', undefined, 'made'), { id: 'made' });
    box.append(element('h4', `How it was computed: ${steps[step].formula ?? steps[step].op}`));
    if (!known) {
      box.append(element('p', page.said('not yet'), 'unknown'));
      return box;
    }
    const terms = [];
    let isWhole = true;
    const { numbers } = this.page;
    steps[step].inputs.forEach((from, input) => {
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
      box.append(element('p', 'This page has no slopes for some inputs of this op.', 'soft'));
    terms.sort((a, b) => Math.abs(b.value * b.slope) - Math.abs(a.value * a.slope));
    const hidden = this.page.isAsking();
    if (terms.length === 0) return box;
    // The tangent is the sum of the products.
    const forward = hasTangents ? ['× tangent', '= product'] : [];
    box.append(
      this.table(['from', 'value', 'slope', ...forward], terms, term => {
        const { value, tangent, slope } = term;
        const cells = [this.link(term.from, term.at), numberText(value)];
        cells.push(hidden ? '?' : this.factor(term));
        if (hasTangents) cells.push(numberText(tangent), hidden ? '?' : numberText(slope * tangent));
        return cells;
      }),
    );
    return box;
  }

  // Shows the contributions to an element's gradient by use. If the input was broadcast, a use has
  // several terms.
  sentBy(step, index) {
    const box = attributed(element('div', undefined, 'sum'), { id: 'sum' });
    const count = uses[step].length;
    const title =
      step === last
        ? 'Its gradient: the backward pass starts here with 1 or dy'
        : count > 1
          ? `Its gradient is the sum over ${count} uses (fan-out)`
          : count === 1
            ? 'Its gradient comes from one use'
            : 'Its gradient';
    box.append(element('h4', title));
    for (const use of uses[step]) box.append(this.contribution(step, index, use));
    return box;
  }

  contribution(step, index, { step: user, input }) {
    const { page } = this;
    const { numbers } = page;
    const box = element('div', undefined, 'use');
    const state = page.sentState(user, input);
    const head = element('p');
    const to = button(`${user} ${shortName(user)}`, () => this.go(user, null));
    to.className = 'link';
    head.append('by ', to, ': ');
    const isShown = state === 'shown';
    const text = isShown ? numberText(numbers.sent(user, input)[index]) : page.said(state);
    head.append(element('b', text, isShown ? 'sent' : 'sent unknown'));
    const summed = steps[user].summed?.[input];
    if (summed) head.append(element('span', `broadcast: summed over ${summed}`, 'mark'));
    box.append(head);
    if (!isShown) return box;
    const found = numbers.usesOf(user, input, index);
    if (found === null) {
      box.append(element('p', 'This page has no slopes for this op.', 'soft'));
      return box;
    }
    const gradient = numbers.gradient(user);
    const terms = found
      .map(({ element: at, slope, by }) => ({ at, slope, by, gradient: gradient[at] }))
      .filter(term => term.slope !== 0);
    terms.sort((a, b) => Math.abs(b.gradient * b.slope) - Math.abs(a.gradient * a.slope));
    box.append(
      this.table(['through', 'its gradient', '× slope', '= product'], terms, term => [
        this.link(user, term.at),
        numberText(term.gradient),
        this.factor(term),
        numberText(term.gradient * term.slope),
      ]),
    );
    return box;
  }
}
