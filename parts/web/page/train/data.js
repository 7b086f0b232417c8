// The reader's own data: pasted text or a file, for the tasks that read one.

const trainTexts = t('train');

// Small data to try these tasks: texts of the course, names of ops, and doubled numbers.
const namesOfOps = async () => (await engine.json(['ops'])).map(({ name }) => `${name}\n`).join('');
const exampleData = {
  async text() {
    const texts = ['1', '2', '3', '4', '5'].map(name => engine.json(['learn', name]));
    return (await Promise.all(texts)).map(({ text }) => text).join('\n');
  },
  lines: namesOfOps,
  names: namesOfOps,
  pairs: () => Array.from({ length: 400 }, (_, i) => `${i} -> ${2 * i}\n`).join(''),
};

// Sizes with which these tasks train in about a minute in a browser.
const smallModels = {
  text: ['--layers', '2', '--width', '64', '--steps', '300', '--eval-every', '100'],
  lines: ['--layers', '2', '--width', '64', '--steps', '150', '--eval-every', '50'],
  names: ['--layers', '2', '--width', '64', '--steps', '150', '--eval-every', '50'],
  pairs: ['--width', '64', '--steps', '300', '--eval-every', '100'],
};

class OwnData {
  // Calls changed(name) with the name of the data file after the reader has changed the data.
  constructor(changed) {
    const texts = trainTexts.data;
    this.changed = changed;
    this.area = make('textarea', {
      ...{ id: 'own-data', rows: 6, spellcheck: 'false' },
      oninput: () => this.take(`${this.task}.txt`),
    });
    const read = async ({ target: { files: [chosen] } }) => {
      if (!chosen) return;
      this.area.value = await chosen.text();
      this.take(chosen.name.replace(/[^\w.-]+/g, '-'));
    };
    const accept = '.txt,.tsv,.csv,.jsonl,text/*';
    const file = make('input', { type: 'file', accept, onchange: read });
    const example = button(texts.example, async () => {
      this.area.value = await exampleData[this.task]();
      this.take(`${this.task}.txt`);
    });
    this.about = make('p.soft');
    this.size = make('p.soft', { 'aria-live': 'polite' });
    this.root = make(
      'fieldset.own-data',
      { hidden: true },
      make('legend', trainTexts.ownData),
      this.about,
      make('label', { for: 'own-data' }, texts.label),
      this.area,
      make('div.choose', example, labelled(texts.choose, file)),
      this.size,
    );
  }

  // Shows the form for a task that reads data; hides it for others.
  show(task) {
    this.root.hidden = !(task in trainTexts.data.about);
    if (this.root.hidden || task === this.task) return;
    this.task = task;
    this.about.textContent = trainTexts.data.about[task];
    this.area.value = '';
    this.name = '';
    this.size.textContent = '';
  }

  take(file) {
    const text = this.area.value;
    this.name = text.trim() === '' ? '' : `data/${file}`;
    const lines = text.split('\n').filter(line => line !== '').length;
    this.size.textContent = trainTexts.data.size(lines, text.length);
    this.changed(this.name);
  }

  // Writes the data for a `train` command. Throws an Error if its file is missing.
  async write(words) {
    const asked = optionOf(words, 'data');
    if (this.root.hidden) return;
    if (this.name !== '' && asked === this.name) {
      const text = this.area.value.replace(/\r\n?/g, '\n');
      const pairs = /^([^\t\n]*?) *(?:->|=>|→) *([^\t\n]*)$/gm;
      const bytes = this.task === 'pairs' ? text.replace(pairs, '$1\t$2') : text;
      await engine.write(this.name, new TextEncoder().encode(bytes.replace(/\n*$/, '\n')));
      return;
    }
    const [, folder = '.', name] = /^(?:(.*)\/)?([^/]*)$/.exec(asked);
    const isThere = asked !== '' && (await engine.list(folder)).includes(name);
    if (isThere) return;
    this.area.focus();
    const { missing, elsewhere } = trainTexts.data;
    throw new Error((asked === '' ? missing : elsewhere(asked)).replace(/\.$/, ''));
  }
}
