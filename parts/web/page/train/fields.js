// Fields for the options of `train`. The command itself describes them, with each task's defaults.

// Returns the options of `train TASK` as { name: { help, otherwise } }; `otherwise` is the default.
const trainOptions = (() => {
  const known = new Map();
  return async task => {
    if (!known.has(task)) {
      const { out } = await engine.run(['train', task, '--help']);
      const found = {};
      for (const part of out.split(/\n {2}(?=--)/)) {
        const option = /^--([a-z-]+) \S+\s+([^[]*)\[([^\]]*)\]/.exec(part);
        if (option)
          found[option[1]] = { help: option[2].replace(/\s+/g, ' ').trim(), otherwise: option[3] };
      }
      known.set(task, found);
    }
    return known.get(task);
  };
})();

// Returns the values in a help text: 'position encoding: none, learned' has two.
function choicesOf(help, otherwise) {
  if (['true', 'false'].includes(otherwise)) return ['true', 'false'];
  const [, list] = /: (\w+(?:, \w+){2,})$/.exec(help) ?? [];
  return list ? list.split(', ') : [];
}

// Returns a field for an option, with its default and meaning below it. `change` is called with a
// new value, '' for the default.
function optionField(name, { help, otherwise }, value, change) {
  const choices = choicesOf(help, otherwise);
  const others = choices.filter(choice => choice !== otherwise);
  const id = `about-${name}`;
  const control = choices.length > 0
    ? setOptions(make('select'), [trainTexts.default(otherwise), ...others], ['', ...others])
    : make('input', {
        type: /^\d+$/.test(otherwise) ? 'number' : 'text',
        min: 0,
        placeholder: trainTexts.default(otherwise),
      });
  control.value = value === otherwise && choices.length > 0 ? '' : value;
  control.setAttribute('aria-describedby', id);
  return make(
    'div.field',
    { 'data-option': name },
    field(trainTexts.fields[name] ?? `--${name}`, control, change),
    make('span.soft', { id }, help.replace(/: .*/, '')),
  );
}

// Fields for the most important options, and for the options of the task itself.
class TrainFields {
  // Calls changed(name, value) after the reader has changed an option.
  constructor(changed) {
    this.changed = changed;
    this.main = make('div.fields');
    this.more = make('div.fields');
    this.details = make('details', make('summary', trainTexts.more), this.more);
    this.root = make('div', this.main, this.details);
  }

  // Shows the options in a command line. `own` are the options of the task.
  async show(words, own = []) {
    this.words = words;
    const known = await trainOptions(words[1]);
    if (this.words !== words) return; // the reader has chosen another task since
    const make = (name, about) =>
      optionField(name, about, optionOf(words, name), value => this.changed(name, value));
    const main = Object.keys(trainTexts.fields).filter(name => known[name]);
    this.main.replaceChildren(...main.map(name => make(name, known[name])));
    const isShown = ({ name, default: otherwise }) => otherwise !== '' && !main.includes(name);
    const more = own.filter(isShown);
    this.more.replaceChildren(
      ...more.map(({ name, help, default: otherwise }) => make(name, { help, otherwise })));
    this.details.hidden = more.length === 0;
  }
}
