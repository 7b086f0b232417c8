// The static page of `explain`: one explainer. The address contains the moment and the selection:
// #at=b44.1&see=43&element=5&state=1 is the gradient that step 44 sends to its input 1.
document.documentElement.lang = language;
document.querySelector('h1').textContent = data.title;
document.querySelector('h1').before(languageLinks());
const place = document.querySelector('main').appendChild(make('div'));
const explainer = new Explainer(place, data, { chosen: writeAddress });

function addressText() {
  const { now, trace, step, index, state } = explainer;
  const { phase, unit, edge, isAll } = now;
  const use = edge?.uses[0];
  const at = use ? `${use.step}.${use.input}` : (unit?.steps[unit.steps.length - 1] ?? trace.last);
  const moment = isAll ? 'all' : `${phase === 'forward' ? 'f' : 'b'}${at}`;
  return `at=${moment}&see=${step}&element=${index}&state=${state}`;
}

// Writes the address, but not too often, since browsers limit changes.
let writing;
let written = -1000;
function writeAddress() {
  clearTimeout(writing);
  const write = () => history.replaceState(null, '', `#${addressText()}`);
  if (performance.now() - written > 200) write();
  else writing = setTimeout(write, 200);
  written = performance.now();
}

// Selects the moment, step and element in the address, and ignores invalid values.
function readAddress() {
  const { steps, states } = explainer.trace;
  const parameters = new URLSearchParams(location.hash.slice(1));
  const number = (name, end) => {
    const text = parameters.get(name) ?? '';
    return /^\d+$/.test(text) && Number(text) < end ? Number(text) : -1;
  };
  const [, phase, op, input] = /^([fb])(\d+)(?:\.(\d+))?$/.exec(parameters.get('at')) ?? [];
  if (number('state', states.length) >= 0) explainer.state = number('state', states.length);
  if (phase && Number(op) in steps) explainer.goTo(phase, Number(op), Number(input ?? -1));
  const see = number('see', steps.length);
  if (see < 0) return explainer.show();
  explainer.panel.open = true;
  explainer.see(see);
  const index = number('element', explainer.trace.sizeOf(see));
  return index >= 0 && explainer.pick(index);
}
window.addEventListener('hashchange', readAddress);
readAddress();
