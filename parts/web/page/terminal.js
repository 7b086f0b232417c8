// The tab Command line: runs any command line and shows its output.

// Commands that the page can't run; docs/start/browser.md also lists them.
const elsewhere = {
  config: 'compares configurations',
  export: 'writes files for other programs',
  import: 'reads what other programs wrote',
  launch: 'starts other processes',
  new: 'creates a C++ project',
  runs: 'manages run folders',
  tokens: 'requires a library that the page lacks',
  verify: 'trains a run again',
};

const elsewhereText = name => `${name} isn't available in this page: it ${elsewhere[name]}`;

addTab('terminal', 'Command line', () => true, panel => {
  const line = attributed(element('input'), {
    id: 'line',
    spellcheck: 'false',
    autocapitalize: 'none',
    autocomplete: 'off',
  });
  const printed =
    attributed(element('pre', '', 'printed'), { tabindex: 0, 'aria-label': 'output' });
  const status = statusLine();
  const shown = new Shown('page written by the command');
  const form = element('form', undefined, 'choose');
  const start = Object.assign(element('button', 'Run'), { type: 'submit' });
  const stop = button('Stop', () => engine.stop(running));
  stop.disabled = true;
  let running = null;
  form.append(labelled('tapehead', line), start, stop, linkButton(() => wordsOf(line.value)));

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
    if (elsewhere[words[0]]) {
      status.textContent = `${elsewhereText(words[0])}.`;
      return;
    }
    status.textContent = 'Running…';
    start.disabled = true;
    running = engine.run(words, (stream, text) => {
      if (stream === 'out' || stream === 'err') printed.append(text);
    });
    stop.disabled = !['train', 'sweep'].includes(words[0]);
    try {
      const { status: code } = await running;
      status.textContent = code === 0 ? '' : `Exited with status ${code}.`;
      const page = code === 0 ? optionOf(words, 'out') : '';
      if (page.endsWith('.html')) shown.show(await engine.read(page));
    } catch (error) {
      status.textContent = `Failed: ${error.message}.`;
    }
    start.disabled = false;
    stop.disabled = true;
  }
  form.addEventListener('submit', event => {
    event.preventDefault();
    run();
  });
  const about = element(
    'p',
    'The command, with a file system in this page: try ops softmax, layers, gradcheck or ' +
      `train --help. Not available: learn check, ${Object.keys(elsewhere).join(', ')}.`,
    'soft',
  );
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
