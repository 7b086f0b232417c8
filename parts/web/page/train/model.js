// A trained model: its answers to a typed sequence, and what each of its heads does.

// Returns a token so that spaces and line breaks can be seen.
const visibleToken = token => token.replace(/ /g, '␣').replace(/\n/g, '↵') || '∅';

// Returns lines with the answers in the output of `sample`. A free continuation follows its prompt
// directly; it is drawn at random, so its temperature isn't 0.
function answerLines({ prompts, temperature }) {
  const arrow = temperature > 0 ? '' : ' → ';
  return prompts.flatMap(prompt => prompt.samples.map(sample => answerLine(prompt, sample, arrow)));
}

function answerLine({ prompt, wanted }, { text, right }, arrow) {
  const kind = right === undefined ? 'p' : right ? 'p.right' : 'p.wrong';
  return make(
    kind,
    prompt && make('span', prompt.replace(/→$/, '') + arrow),
    make('strong', text || visibleToken('')),
    right ? ' ✓' : wanted && make('span.soft', trainTexts.model.expected(wanted)),
  );
}

// Describes a head's pattern, such as 'induction in answers 0.98', in words.
function patternText(follows) {
  const { patterns, ahead, back, noPattern } = trainTexts.model;
  if (!follows) return noPattern;
  if (/^\d+ back/.test(follows)) return back;
  if (/^\d+ ahead/.test(follows)) return ahead;
  const name = Object.keys(patterns).find(each => follows.startsWith(each));
  return patterns[name] ?? '';
}

class Model {
  constructor() {
    const texts = trainTexts.model;
    this.turn = 0; // number of the latest request; results of older requests are dropped
    this.asked = null; // the sequence that the reader asked
    this.about = make('p.soft');
    this.input = lineInput();
    const ask = () => {
      this.asked = this.input.value;
      this.showSequence();
    };
    const label = labelled(texts.label, this.input);
    const form = makeForm('form.choose', ask, label, make('button.main', texts.ask));
    this.status = statusLine();
    this.answer = make('div.answers.mono', { 'aria-live': 'polite' });
    this.sure = make('p.soft');
    this.viewer = new AttentionViewer({ heading: 'h4' });
    this.maps = make('div.attention', make('h3', texts.attention), this.viewer.root);
    this.heads = make('div');
    this.root = make(
      'section.trained',
      ...[make('h2', texts.title), this.about, form, this.status, this.answer, this.sure],
      ...[this.maps, this.heads],
    );
    this.clear();
  }

  // The layer and head that the reader has selected, as options of the command.
  get selected() {
    const { layer, head } = this.viewer;
    return ['--layer', String(layer.layer), '--head', String(head.head)];
  }

  clear() {
    ++this.turn;
    this.root.hidden = true;
    this.maps.hidden = true;
    this.asked = null;
    this.input.value = '';
    this.answer.replaceChildren();
    this.sure.textContent = '';
    this.heads.replaceChildren();
  }

  // Shows the run in `folder` at its last saved step. Returns lines with answers to
  // validation examples.
  async look(folder) {
    this.folder = folder;
    const sampled = await engine.json(['sample', folder, '--examples', '4', ...this.length()]);
    this.task = sampled.task;
    const [first] = sampled.prompts;
    const { about, free } = trainTexts.model;
    this.about.textContent = first.prompt ? about : free;
    if (this.asked === null && document.activeElement !== this.input)
      this.input.value = first.prompt;
    this.root.hidden = false;
    await this.showSequence(this.asked === null ? first.prompt : this.asked);
    return answerLines(sampled);
  }

  // A text has no end: limits its length.
  length() {
    return this.task === 'text' ? ['--tokens', '120'] : [];
  }

  async showSequence(sequence = this.asked) {
    const turn = ++this.turn;
    this.status.textContent = '';
    try {
      if (this.asked !== null) await this.showAnswer(turn);
      const input = sequence === '' ? [] : ['--input', sequence.replace(/→$/, '')];
      const page = await engine.page(['attention', this.folder, ...input]);
      if (turn !== this.turn) return;
      const { maps, image } = dataOfPage(page);
      this.maps.hidden = false; // before drawing, which measures the width
      this.viewer.show(maps, image);
    } catch (error) {
      if (turn !== this.turn) return;
      this.maps.hidden = true;
      if (this.asked !== null) this.status.textContent = `${error.message}.`;
    }
  }

  async showAnswer(turn) {
    const sequence = this.asked === '' ? [] : ['--prompt', this.asked];
    const seed = ['--seed', String(turn)]; // another continuation each time
    const sampled =
      await engine.json(['sample', this.folder, ...sequence, ...seed, ...this.length()]);
    if (turn !== this.turn) return;
    this.answer.replaceChildren(...answerLines(sampled));
    const [first] = sampled.prompts[0].samples[0].tokens ?? [];
    const { likeliest, likely } = trainTexts.model;
    const likelyText = ({ token, probability }) =>
      likely(visibleToken(token), (100 * probability).toFixed(1));
    this.sure.textContent = first
      ? likeliest + first.alternatives.slice(0, 3).map(likelyText).join(', ')
      : '';
  }

  // Measures what each head does, on validation examples.
  async showHeads() {
    const { heads: title, headsAbout, columns, headName } = trainTexts.model;
    const { turn } = this;
    let rows;
    try {
      const { tables } = await engine.json(['inspect', 'heads', this.folder]);
      rows = tables.find(each => each.title === 'Heads').rows;
    } catch {
      return; // the model has no heads, or there are too few examples
    }
    if (turn > this.turn) return;
    const cells = ({ head: name, follows, costs }) => {
      const rise = `${costs < 0 ? '−' : '+'}${Math.abs(costs).toPrecision(2)}`;
      return [headName(name), follows || '–', patternText(follows), rise];
    };
    const found = table(columns, rows.map(cells), 'table.rows');
    this.heads.replaceChildren(
      make('h3', title), make('p.soft', headsAbout), scrolling(found, title));
  }
}
