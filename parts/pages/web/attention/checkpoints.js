// The attention maps of a run: the viewer, with controls to choose a checkpoint and an example.
class RunMaps {
  // `chosen` is called whenever the selection changes.
  constructor(chosen) {
    this.chosen = chosen;
    this.viewer = new AttentionViewer({ chosen });
    this.range = make('input', {
      id: 'checkpoint',
      type: 'range',
      min: 0,
      oninput: () => this.choose({ checkpointIndex: Number(this.range.value) }),
    });
    this.step = make('output');
    this.exampleSelect = make('select', {
      id: 'example',
      onchange: () => this.choose({ exampleIndex: this.exampleSelect.selectedIndex }),
    });
    this.viewer.choices.prepend(labelled('Example', this.exampleSelect));
    const slider = make('div.slider', labelled('Checkpoint', this.range), this.step);
    this.root = make('div', slider, this.viewer.root);
  }

  // Shows the attention maps. `maps.examples[e].layers[l]` holds the axes of layer l for example e;
  // `maps.checkpoints[c].examples[e][l]` holds its heads at checkpoint c.
  show(maps) {
    this.maps = maps;
    this.exampleIndex = 0;
    this.checkpointIndex = maps.checkpoints.findIndex(each => each.last);
    if (this.checkpointIndex < 0) this.checkpointIndex = maps.checkpoints.length - 1;
    this.range.max = maps.checkpoints.length - 1;
    this.range.hidden = maps.checkpoints.length < 2;
    const cut = text => ([...text].length > 40 ? `${[...text].slice(0, 39).join('')}…` : text);
    const names = maps.examples.map(({ text }, i) => `${i + 1}: ${cut(text)}`);
    setOptions(this.exampleSelect, names);
    this.draw();
  }

  choose(change) {
    Object.assign(this, change);
    this.draw();
    this.chosen();
  }

  draw() {
    const { step, best, last, examples } = this.maps.checkpoints[this.checkpointIndex];
    const ranks = `${best ? ', the best' : ''}${last ? ', the last' : ''}`;
    this.step.textContent = `step ${step.toLocaleString('en')}${ranks}`;
    this.range.value = this.checkpointIndex;
    this.range.setAttribute('aria-valuetext', this.step.textContent);
    this.exampleSelect.selectedIndex = this.exampleIndex;
    const heads = examples[this.exampleIndex];
    const { layers, image } = this.maps.examples[this.exampleIndex];
    this.viewer.show(
      layers.map((axes, i) => ({ ...axes, heads: heads[i] })),
      image,
    );
  }

  get address() {
    const { step } = this.maps.checkpoints[this.checkpointIndex];
    return `${this.viewer.address}&example=${this.exampleIndex + 1}&step=${step}`;
  }

  // Selects the checkpoint and example in the address, and ignores invalid values.
  readAddress(parameters) {
    const number = name => Number(parameters.get(name));
    const checkpoint = this.maps.checkpoints.findIndex(each => each.step === number('step'));
    if (checkpoint >= 0) this.checkpointIndex = checkpoint;
    if (number('example') - 1 in this.maps.examples) this.exampleIndex = number('example') - 1;
    this.draw();
    this.viewer.readAddress(parameters);
  }
}
