// The page's tabs, and its address: the fragment is a command line, so a link shows the same on any
// machine.

const shellTexts = t('shell');
const panels = $('panels');
const tabs = []; // { name, title, does, panel, tab, open, shown }

// Adds a tab with a panel that fill(panel) fills. `fill` returns { open(words), shown() }: `open`
// runs a command line, and `shown`, optional, is called when the reader selects the tab.
// does(words) returns whether a command line belongs to this tab.
function addTab(name, title, does, fill) {
  const panel = make('section', {
    id: `panel-${name}`,
    role: 'tabpanel',
    'aria-labelledby': `tab-${name}`,
    hidden: true,
  });
  const tab = button(title, () => show(name, true), {
    id: `tab-${name}`,
    role: 'tab',
    'aria-controls': panel.id,
    'aria-selected': false,
    tabindex: -1,
  });
  $('tabs').append(tab);
  panels.append(panel);
  tabs.push({ name, title, does, panel, tab, ...fill(panel) });
}

function show(name, isAsked = false) {
  for (const each of tabs) {
    const isThis = each.name === name;
    each.panel.hidden = !isThis;
    each.tab.setAttribute('aria-selected', String(isThis));
    each.tab.tabIndex = isThis ? 0 : -1;
    if (isThis && isAsked) each.shown?.();
  }
}

$('tabs').setAttribute('aria-label', shellTexts.tabs);
$('tabs').addEventListener('keydown', event => {
  const at = tabs.findIndex(each => each.tab === document.activeElement);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (to === undefined || at < 0) return;
  event.preventDefault();
  const next = tabs[(to + tabs.length) % tabs.length];
  show(next.name, true);
  next.tab.focus();
});

// ---- the address

let written = null; // the fragment last set by the page's scripts

// Sets the address to the command line that is shown, without running it.
function say(words) {
  written = fragmentOf(words);
  history.replaceState(null, '', written);
}

// Runs a command line in its tab.
function open(words) {
  const tab = tabs.find(each => each.does(words));
  show(tab.name);
  tab.open?.(words);
}

function openAddress() {
  if (location.hash === written) return;
  let words = [];
  try {
    words = wordsOf(lineOfFragment(location.hash));
  } catch (error) {
    $('state').textContent = shellTexts.badAddress(error.message);
  }
  open(words);
}

// ---- shared by tabs

// Returns a button that copies a link to the command line that words() returns.
function linkButton(words) {
  const result = button(shellTexts.copyLink, async () => {
    const link = new URL(fragmentOf(words()), location.href).href;
    try {
      await navigator.clipboard.writeText(link);
      result.textContent = shellTexts.copied;
    } catch {
      prompt(shellTexts.link, link); // the page can't access the clipboard
    }
    setTimeout(() => (result.textContent = shellTexts.copyLink), 2000);
  });
  return result;
}

// Opens a command line as a new entry in the browser's history.
function go(words) {
  history.pushState(null, '', fragmentOf(words));
  written = location.hash;
  open(words);
}

// Returns a link to a command line in this page. A click calls `follow`, by default `go`.
function commandLink(text, words, follow = () => go(words())) {
  const click = event => {
    if (hasModifier(event)) return;
    event.preventDefault();
    follow();
  };
  return make('a', { href: fragmentOf(words()), onclick: click }, text);
}
const lineLink = words => commandLink(lineOf(words), () => words);

// Returns a status line; screen readers announce its changes.
const statusLine = () => make('p.soft', { role: 'status' });

// Runs an action; if it throws, shows the error message in `status`.
async function attempt(status, action) {
  try {
    await action();
  } catch (error) {
    status.textContent = `${error.message}.`;
  }
}

// Returns the data in a page that the command wrote; null if there are none.
function dataOfPage(page) {
  const [, text = 'null'] =
    /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page) ?? [];
  return JSON.parse(text);
}

// Returns the data in a page of `explain`; null for other pages.
function explainData(page) {
  const found = dataOfPage(page);
  return found?.states && found.steps ? found : null;
}

// Added to a shown page. Sends its height, so that the frame is as high as the page and only the
// page around it scrolls.
const heightScript = `<style>html { overflow: auto hidden; }</style><script>
new ResizeObserver(() => {
  const height = Math.ceil(document.body.getBoundingClientRect().height);
  parent.postMessage({ height }, '*');
}).observe(document.body);
</script>`;

// Shows an HTML page written by a command: a page of `explain` as a graph in this page, others in a
// frame.
class Shown {
  constructor(title) {
    this.frame = make('iframe', { title });
    this.graph = make('div');
    this.root = make('div.shown', { hidden: true }, this.frame, this.graph);
    this.address = null;
    window.addEventListener('message', ({ source, data: { height } }) => {
      if (source === this.frame.contentWindow && height > 0)
        this.frame.style.height = `${height + 2}px`; // with the borders
    });
  }
  show(page) {
    const explained = explainData(page);
    this.frame.hidden = Boolean(explained);
    this.graph.hidden = !explained;
    if (explained) {
      this.root.hidden = false;
      if (this.explainer) this.explainer.update(explained);
      else this.explainer = new Explainer(this.graph, explained);
      return;
    }
    if (this.address) URL.revokeObjectURL(this.address);
    this.address = URL.createObjectURL(new Blob([page, heightScript], { type: 'text/html' }));
    this.frame.src = this.address;
    this.root.hidden = false;
  }
  hide() {
    this.root.hidden = true;
  }
}

// Returns a labelled control. When the reader changes its value, calls change(value).
function field(name, control, change) {
  control.addEventListener('change', () => change(control.value.trim()));
  return labelled(name, control);
}

// Returns a control for files. Its method `take`, which is also for dropped files, calls take(file)
// for each file and shows an error in `status`.
function fileInput(attributes, status, take) {
  const takeAll = async files => {
    status.textContent = '';
    for (const file of files)
      await take(file).catch(error => (status.textContent = `${file.name}: ${error.message}.`));
  };
  const change = async () => {
    await takeAll([...result.files]);
    result.value = ''; // so that choosing the same file again fires an event
  };
  const result = make('input', { type: 'file', onchange: change, ...attributes });
  return Object.assign(result, { take: takeAll });
}

// A queue that runs only the latest request: a new request replaces the one that is waiting.
class Latest {
  constructor(work) {
    this.work = work;
    this.waiting = [];
    this.isBusy = false;
  }
  async ask(task) {
    this.waiting = [task];
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.waiting.length > 0) await this.work(this.waiting.pop());
    this.isBusy = false;
  }
}

// Attributes of fields for commands and formulas: no spell checking or completion.
const plainText = { spellcheck: 'false', autocapitalize: 'none', autocomplete: 'off' };

// Returns a text field for a part of a command line.
const lineInput = attributes => make('input.wide', { ...plainText, ...attributes });

// Reports that the page lacks the run named in a link, with a link to train the task in its name.
function sayMissing(status, run) {
  const [, task = 'reverse'] = /^runs\/([\w-]+)-\d+$/.exec(run) ?? [];
  status.textContent = shellTexts.noRun(run);
  status.append(lineLink(['train', task]));
}
