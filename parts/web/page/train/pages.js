// Pages about a run, which the command writes. A page is offered only if the command can write it.
class RunPages {
  // folder() is the run's folder, and selected() returns options that name a layer and a head.
  constructor(folder, selected) {
    const texts = trainTexts.pages;
    this.folder = folder;
    this.status = statusLine();
    this.shown = new Shown(texts.frame);
    const circuits = () => ['inspect', 'circuits', folder(), ...selected()];
    this.circuits = this.page(texts.circuits, circuits);
    this.circuits.hidden = true;
    const report = this.page(texts.report, () => ['report', folder()]);
    const explain = this.page(texts.explain, () => ['explain', folder()]);
    const buttons = make('div.choose', report, explain, this.circuits);
    const title = make('h2', texts.title);
    this.root = make('section.pages', title, buttons, this.status, this.shown.root);
  }

  page(title, command) {
    return button(title, async () => {
      this.status.textContent = trainTexts.pages.creating(title);
      await attempt(this.status, async () => {
        this.shown.show(await engine.page(command()));
        this.status.textContent = '';
        this.root.scrollIntoView({ block: 'start' });
      });
    });
  }

  // Asks the command whether the model has circuits.
  async offer() {
    const { status } = await engine.run(['inspect', 'circuits', this.folder(), '--json']);
    this.circuits.hidden = status !== 0;
  }

  hide() {
    this.circuits.hidden = true;
    this.shown.hide();
  }
}
