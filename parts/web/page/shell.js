// The page around the command: tabs, and an address whose fragment is a command line. A link
// therefore reproduces what it shows, on any machine.

const panels = $('panels');
const tabs = []; // { name, title, panel, button, does, open }

// A tab with a panel that `make(panel)` fills. `make` returns { open(words), shown() }: `open` runs
// a command line, and the optional `shown` is called when the tab is shown. `does(words)` returns
// whether a command line belongs to this tab.
function addTab(name, title, does, make) {
  const panel = attributed(element('section'), {
    id: `panel-${name}`,
    role: 'tabpanel',
    'aria-labelledby': `tab-${name}`,
    hidden: '',
  });
  const tab = attributed(button(title, () => show(name, true)), {
    id: `tab-${name}`,
    role: 'tab',
    'aria-controls': panel.id,
    'aria-selected': 'false',
    tabindex: -1,
  });
  $('tabs').append(tab);
  panels.append(panel);
  tabs.push({ name, title, does, panel, tab, ...make(panel) });
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

let written = null; // the fragment last set by the page itself

// Sets the address to what is shown, without running it again.
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
    $('state').textContent = `The address can't be read: ${error.message}.`;
  }
  open(words);
}

// ---- shared by tabs

// A button that copies the link to what the tab shows.
function linkButton(words) {
  const result = button('Copy link', async () => {
    const link = new URL(fragmentOf(words()), location.href).href;
    try {
      await navigator.clipboard.writeText(link);
      result.textContent = 'Copied';
    } catch {
      prompt('The link', link); // if the page can't access the clipboard
    }
    setTimeout(() => (result.textContent = 'Copy link'), 2000);
  });
  return result;
}

// A status line, announced by screen readers when it changes.
const statusLine = () => attributed(element('p', '', 'soft'), { role: 'status' });

// Shows a page that a command wrote, in a frame with its own address.
class Shown {
  constructor(title) {
    this.root = attributed(element('div', undefined, 'shown'), { hidden: '' });
    this.frame = attributed(element('iframe'), { title });
    this.root.append(this.frame);
    this.address = null;
  }
  show(bytes, fragment = '') {
    if (this.address) URL.revokeObjectURL(this.address);
    this.address = URL.createObjectURL(new Blob([bytes], { type: 'text/html' }));
    this.frame.src = this.address + fragment;
    this.root.hidden = false;
  }
  hide() {
    this.root.hidden = true;
  }
}

// A named control; `change` is called with its value.
function field(name, control, change) {
  control.addEventListener('change', () => change(control.value.trim()));
  return labelled(name, control);
}
