// The reader's own data: pasted text or a file, for the tasks that read one.

const trainTexts = t('train');

// Small data to try these tasks.
const exampleData = {
  text: () =>
    `'Twas brillig, and the slithy toves
Did gyre and gimble in the wabe:
All mimsy were the borogoves,
And the mome raths outgrabe.

"Beware the Jabberwock, my son!
The jaws that bite, the claws that catch!
Beware the Jubjub bird, and shun
The frumious Bandersnatch!"

He took his vorpal sword in hand:
Long time the manxome foe he sought—
So rested he by the Tumtum tree,
And stood awhile in thought.

And, as in uffish thought he stood,
The Jabberwock, with eyes of flame,
Came whiffling through the tulgey wood,
And burbled as it came!

One, two! One, two! And through and through
The vorpal blade went snicker-snack!
He left it dead, and with its head
He went galumphing back.

"And hast thou slain the Jabberwock?
Come to my arms, my beamish boy!
O frabjous day! Callooh! Callay!"
He chortled in his joy.
`,
  lines: () => exampleData.names(),
  names: () =>
    ('anna ben bella boris carla celine clara daniel daria david diana elena elias ella emil ' +
      'emma erik eva fabian felix fiona finn frida georg greta hanna hans helena henry ida ines irina ' +
      'jakob jan jana johanna jonas julia julian karl karla klara lara laura lea lena leo leon ' +
      'lina linus lisa luca luisa lukas maja malte mara maria marie marta martin max mia mila ' +
      'mira nadia nele nico nina noah nora olga oliver oscar otto paul paula peter philip pia rosa ' +
      'rita robin ruben sara selma simon sofia stella susan tara theo thomas tim tina tobias tom ' +
      'valerie vera viktor willi yara zoe').replaceAll(' ', '\n') + '\n',
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
    const example = button(texts.example, () => {
      this.area.value = exampleData[this.task]();
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
