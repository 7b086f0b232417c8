// The tab Command line: runs any command line and shows its output.

const terminalTexts = t('terminal');

// Commands that the page can't run; docs/start/browser.md also lists them.
const elsewhere =
  new Set(['config', 'export', 'import', 'launch', 'new', 'runs', 'tokens', 'verify']);

addTab('terminal', terminalTexts.tab, () => true, panel => {
  const line = lineInput({ id: 'line' });
  const printed = make('pre.printed', { tabindex: 0, 'aria-label': terminalTexts.output });
  const status = statusLine();
  const shown = new Shown(terminalTexts.page);
  const start = make('button', t('run'));
  const stop = button(t('stop'), () => engine.stop(running));
  stop.disabled = true;
  let running = null;
  const link = linkButton(() => wordsOf(line.value));
  const form = makeForm('form.choose', run, labelled('tapehead', line), start, stop, link);

  async function run() {
    let words;
    try {
      words = wordsOf(line.value);
    } catch (error) {
      status.textContent = `${error.message}.`;
      return;
    }
    say(words);
    printed.textContent = '';
    shown.hide();
    if (elsewhere.has(words[0])) {
      status.textContent = `${terminalTexts.elsewhere(words[0])}.`;
      return;
    }
    status.textContent = terminalTexts.running;
    start.disabled = true;
    running = engine.run(words, (stream, text) => {
      if (stream === 'out' || stream === 'err') printed.append(text);
    });
    stop.disabled = !['train', 'sweep'].includes(words[0]);
    try {
      const { status: code } = await running;
      status.textContent = code === 0 ? '' : terminalTexts.exited(code);
      const page = code === 0 ? optionOf(words, 'out') : '';
      if (page.endsWith('.html')) shown.show(await engine.text(page));
    } catch (error) {
      status.textContent = t('failed', error.message);
    }
    start.disabled = false;
    stop.disabled = true;
  }
  const about = make('p.soft', terminalTexts.about([...elsewhere].join(', ')));
  panel.append(about, form, status, printed, shown.root);
  return {
    open(words) {
      if (words.length === 0) return;
      line.value = lineOf(words);
      run();
    },
    shown: () => line.focus(),
  };
});
