#include "page_parts.hpp"

namespace tapehead {

// What the model says to held-out examples.
const char* const report_examples_script = R"js(
// A question, and under it what was said and what is right, symbol under symbol.
function mistake({ number, question, said, wanted }) {
  const item = element('li'), columns = Math.max(said.length, wanted.length);
  const wrong = [];
  for (let i = 0; i < columns; ++i) if (said[i] !== wanted[i]) wrong.push(i + 1);
  const places = wrong.length > 8 ? [...wrong.slice(0, 8), '…'] : wrong;
  const both = element('div'), asked = element('div', undefined, 'symbols asked'), grid = element('div', undefined, 'symbols');
  grid.style.gridTemplateColumns = `repeat(${columns + 1}, auto)`;
  const row = (place, name, symbols, classOf = () => '') =>
    place.append(element('span', name, 'soft'), ...symbols.map((symbol, i) => element('span', symbol, classOf(i))));
  const filled = symbols => Array.from({ length: columns }, (_, i) => symbols[i] ?? '∅');
  row(asked, 'asked', question);
  row(grid, 'said', filled(said), i => said[i] !== wanted[i] ? 'wrong' : '');
  row(grid, 'right', filled(wanted));
  both.append(asked, grid);
  item.append(element('p', `Example ${number} · ${plural(wrong.length, 'symbol')} of ${wanted.length} wrong, at place${wrong.length === 1 ? '' : 's'} ${places.join(', ')}`, 'soft'),
              scrolling(both, `Example ${number}`));
  return item;
}

function mistakesPart({ examined, right, of, wrong }, step) {
  const result = element('div');
  const known = `step ${step.toLocaleString('en')}`;
  if (!wrong.length) {
    result.append(element('p', `At ${known} the model answers all of ${plural(examined, 'held-out example')} right.`));
    return result;
  }
  const some = examined < of ? `the first ${examined.toLocaleString('en')} of ${of.toLocaleString('en')}` : `all ${of.toLocaleString('en')}`;
  result.append(element('p', `At ${known}, ${right.toLocaleString('en')} of ${some} held-out examples are answered right, and these ${wrong.length} are not. ` +
      'Wrong symbols are underlined; ∅ stands where one is missing.', 'soft'));
  const list = element('ol', undefined, 'mistakes');
  list.append(...wrong.map(mistake));
  result.append(list);
  return result;
}

// A text, each symbol as strongly shaded as it surprised the model.
function sample({ number, given, symbols, loss, said }, order) {
  const result = element('div'), text = element('p', undefined, 'text'), read = element('p', undefined, 'read soft');
  const mean = loss.reduce((sum, each) => sum + each, 0) / Math.max(loss.length, 1);
  const spans = symbols.map((symbol, i) => {
    const span = element('span', symbol === '↵' ? '↵\n' : symbol);
    if (i >= given && loss[i - given] !== null) span.style.setProperty('--loss', Math.min(0.85, loss[i - given] / 6).toFixed(2));
    if (i >= given && said[i - given] !== null) span.className = 'other';
    return span;
  });
  text.append(...spans);
  text.tabIndex = 0;
  text.setAttribute('role', 'application');
  text.setAttribute('aria-label', `Held-out example ${number}; left and right arrow keys read it symbol by symbol`);
  read.setAttribute('role', 'status');
  let at = null;
  const point = to => {
    if (at !== null) spans[at].classList.remove('seen');
    at = to;
    if (at === null) return read.textContent = order ? '' : 'Point at a symbol, or use the arrow keys in the text, to read its loss.';
    spans[at].classList.add('seen');
    const i = at - given, name = symbols[at] === ' ' ? '␣' : symbols[at];
    if (i < 0) return read.textContent = `${name} is given`;
    const chance = (100 * Math.exp(-loss[i])).toPrecision(3);
    return read.textContent = `${name} · loss ${number_(loss[i])} · probability ${Number(chance)} %` + (said[i] === null ? ' · the likeliest' : ` · likelier was ${said[i]}`);
  };
  const number_ = value => value === null ? 'not a number' : value.toFixed(3);
  text.addEventListener('pointerover', event => {
    const place = spans.indexOf(event.target);
    if (place >= 0) point(place);
  });
  text.addEventListener('pointerleave', () => point(null));
  text.addEventListener('blur', () => point(null));
  text.addEventListener('keydown', event => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    point(within(at === null ? 0 : at + step, 0, spans.length - 1));
    event.preventDefault();
  });
  point(null);
  result.append(element('h3', `Example ${number}, mean loss ${mean.toFixed(3)}`), text, read);
  return result;
}

function samplesPart(samples, step) {
  const result = element('div'), legend = element('p', `At step ${step.toLocaleString('en')}. Loss of a symbol, 0`, 'soft');
  legend.append(element('span', '', 'key'), '5 nats or more; dotted underline: another symbol was likelier.');
  result.append(legend, ...samples.map(sample));
  return result;
}
)js";

}  // namespace tapehead
