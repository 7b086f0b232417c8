// The question on an edge: which gradient does the op send along it? There are two tries.
const mostTries = 2;

class Prediction {
  constructor(explainer) {
    this.explainer = explainer;
    this.box = make('input', { type: 'checkbox', onchange: () => this.begin() });
    this.score = make('output.score');
    this.controls = make('span.predicting', make('label', this.box, t('predict')), this.score);
    this.input = make('input', {
      ...{ type: 'text', autocomplete: 'off', size: 7 },
      'aria-label': t('yourNumber'),
    });
    const buttons = [make('button', t('check')), button(t('reveal'), () => this.settle(''))];
    this.form = makeForm('form.ask', () => this.check(), this.input, buttons);
    this.restart();
  }

  // Forgets all answers.
  restart() {
    this.answers = new Map(); // by moment: whether it was right, and the last guess
    this.tries = 0;
    this.said = '';
    this.score.textContent = '';
  }

  // Starts at the beginning of the backward pass if predictions are turned on.
  begin() {
    this.restart();
    const { timeline } = this.explainer;
    if (this.box.checked) this.explainer.go(Math.min(timeline.start + 1, timeline.end));
    else this.explainer.show();
    this.focus();
  }
  focus() {
    if (this.isAsking()) this.input.focus({ preventScroll: true });
  }

  // Returns whether the reader must predict the gradient of this moment.
  isAsking() {
    const { moment, now, trace } = this.explainer;
    return this.box.checked && !trace.isPuzzle && Boolean(now?.edge) && !this.answers.has(moment);
  }

  // Returns the element that is asked for, and its gradient.
  asked() {
    const { now, trace, graph } = this.explainer;
    const { source } = now.edge;
    const sent = this.explainer.sentAlong(now.edge);
    const index = largest(sent);
    return { name: trace.elementOf(source, index, graph.said(source)), wanted: sent[index] };
  }

  caption() {
    if (this.at !== this.explainer.moment) {
      [this.at, this.tries, this.said, this.input.value] = [this.explainer.moment, 0, '', ''];
    }
    const question = t('asks', this.explainer.userOf(this.explainer.now.edge), this.asked().name);
    const parts = [make('p.equation', question)];
    if (this.said) parts.push(make('p.mark', this.said));
    return parts;
  }

  // Returns what to say about the answer at this moment.
  verdict() {
    const answer = this.answers.get(this.explainer.moment);
    if (!answer) return [];
    const text = answer.isRight ? t('rightAnswer') : answer.guess && t('wasWrong', answer.guess);
    return text ? [make(answer.isRight ? 'p.right' : 'p.wrong', text)] : [];
  }

  check() {
    const text = plainNumber(this.input.value);
    const { wanted } = this.asked();
    if (!isNumber(text)) {
      this.said = t('notNumber');
    } else if (isNear(text, wanted)) {
      this.settle(text, true);
      return;
    } else if (++this.tries === mostTries) {
      this.settle(text);
      return;
    } else {
      this.said = t(Number(text) * wanted < 0 ? 'wrongSign' : 'wrong');
    }
    this.explainer.show();
    this.input.focus({ preventScroll: true });
    this.input.select();
  }

  settle(guess, isRight = false) {
    const { explainer } = this;
    const hadFocus = this.form.contains(document.activeElement);
    this.answers.set(explainer.moment, { isRight, guess });
    const right = [...this.answers.values()].filter(answer => answer.isRight).length;
    this.score.textContent = t('score', right, this.answers.size);
    explainer.show();
    if (hadFocus) explainer.nextButton.focus({ preventScroll: true });
  }
}
