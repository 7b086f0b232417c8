#include "page_parts.hpp"

namespace tapehead {

const char* const page_style = R"css(
:root {
  color-scheme: light dark;
  --ink: 22 83 163; --text: #1d2126; --soft: #5c6570; --line: #c9d0d8;
  --back: #fff; --field: #f3f5f7; --mark: #c2410c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: 255 200 97; --text: #e9ecef; --soft: #a0a8b2; --line: #3a424c;
    --back: #14171b; --field: #1d2126; --mark: #7cc4ff;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1280px; margin: auto; padding: 16px; }
h1 { font-size: 1.3rem; margin: 0 0 12px; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 0 0 4px; }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; }
select, button { font: inherit; color: inherit; background: var(--field); border: 1px solid var(--line); border-radius: 6px; }
select { padding: 4px 8px; min-height: 36px; max-width: 100%; }
.soft { color: var(--soft); font-size: .875rem; margin: 0; }
.choose { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; margin-bottom: 16px; }
figure { margin: 0; min-width: 0; }
figcaption { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 12px; }

.scroll { overflow-x: auto; padding: 6px 4px; }
.map { display: grid; grid-template-columns: max-content max-content; width: max-content;
       font: var(--font)/1 ui-monospace, Menlo, Consolas, monospace; color: var(--soft); }
.keys { grid-column: 2; display: flex; }
.keys span { width: var(--cell); text-align: center; overflow: clip visible; padding-bottom: 4px; white-space: nowrap; }
.upright .keys span { writing-mode: vertical-rl; text-align: end; line-height: var(--cell);
                      overflow: visible clip; max-height: 9em; text-overflow: ellipsis; padding: 0 0 4px; }
.queries { grid-column: 1; position: sticky; left: 0; z-index: 1; background: var(--back); padding-right: 5px; }
.queries span { display: block; height: var(--cell); line-height: var(--cell); text-align: right;
                max-width: 8em; overflow: clip visible; text-overflow: ellipsis; white-space: nowrap; }
.dense .keys span, .dense .queries span { visibility: hidden; }
.map .seen { color: var(--mark); font-weight: 700; }
.cells { position: relative; cursor: crosshair; }
canvas { display: block; image-rendering: pixelated; background: var(--field); box-shadow: 0 0 0 1px var(--line); }
.cells canvas { width: calc(var(--cell) * var(--columns)); height: calc(var(--cell) * var(--rows)); }
.cursor { position: absolute; width: var(--cell); height: var(--cell); outline: 2px solid var(--mark); pointer-events: none; }
#value { min-height: 1.5em; margin: 8px 0; overflow-wrap: anywhere; }
#value b { unicode-bidi: isolate; font-family: ui-monospace, Menlo, Consolas, monospace; }
.scale { display: flex; gap: 8px; align-items: start; line-height: 1.2; margin-top: 6px; }
.scale div { display: flex; justify-content: space-between; width: 140px; padding-top: 14px;
             background: linear-gradient(to right, rgb(var(--ink) / 0), rgb(var(--ink))) top / 100% 12px no-repeat; }

.layer { margin: 0 0 12px; }
.heads { display: flex; flex-wrap: wrap; gap: 8px; }
.heads button { width: 104px; padding: 6px; cursor: pointer; text-align: left; font-size: .75rem; line-height: 1.3;
                display: flex; flex-direction: column; gap: 4px; background: none; }
.heads button[aria-pressed=true] { border-color: var(--mark); box-shadow: 0 0 0 1px var(--mark); }
.heads .soft { font-size: inherit; }
.heads canvas { width: 90px; height: 90px; }
@media (min-width: 860px) {
  .both { display: grid; grid-template-columns: minmax(0, 3fr) minmax(232px, 2fr); gap: 32px; align-items: start; }
}
@media (max-width: 859px) { #overview { margin-top: 24px; } }
)css";

const char* const page_body = R"html(
<main>
<h1></h1>
<div class="choose">
<label>Layer <select id="layer"></select></label>
<label>Head <select id="head"></select></label>
<p class="soft">Arrow keys: ← → head, ↑ ↓ layer; inside the map, from weight to weight.</p>
</div>
<div class="both">
<figure>
<figcaption><h2 id="title"></h2><span id="pattern"></span><span id="module" class="soft"></span></figcaption>
<p class="soft">Each row is a token that looks, each column one that it looks at.</p>
<p id="value" role="status"></p>
<div class="scroll">
<div id="map" class="map" tabindex="0" role="application" aria-describedby="value">
<div id="keys" class="keys" aria-hidden="true"></div>
<div id="queries" class="queries" aria-hidden="true"></div>
<div class="cells"><canvas id="cells"></canvas><div id="cursor" class="cursor" hidden></div></div>
</div>
</div>
<div class="soft scale" aria-hidden="true">weight <div><span>0</span><span>0.25</span><span>1</span></div></div>
</figure>
<section id="overview" aria-label="All heads"></section>
</div>
</main>
)html";

const char* const page_script = R"js(
'use strict';
const $ = id => document.getElementById(id);
const { title, maps } = JSON.parse($('data').textContent);

// What is shown: a map, one of its heads, and perhaps a weight. The address says the same in
// numbers of layers and heads, so that every view can be linked.
let map = maps[0], head = map.heads[0], cell = null;

function element(tag, text, className) {
  const result = document.createElement(tag);
  if (text !== undefined) result.textContent = text;
  if (className) result.className = className;
  return result;
}

// One pixel a weight: the page's ink, as opaque as the square root of the weight, so that small ones
// show. Red for what is no number.
function draw(canvas, weights) {
  canvas.width = weights[0].length;
  canvas.height = weights.length;
  const ink = getComputedStyle(document.documentElement).getPropertyValue('--ink').trim().split(' ');
  const context = canvas.getContext('2d');
  const image = context.createImageData(canvas.width, canvas.height);
  weights.flat().forEach((weight, i) => {
    const [r, g, b] = weight === null ? [224, 49, 49] : ink;
    image.data.set([r, g, b, weight === null ? 255 : Math.round(255 * Math.sqrt(weight))], 4 * i);
  });
  context.putImageData(image, 0, 0);
}

function pattern(head) {
  return head.pattern ? `${head.pattern} ${head.score.toFixed(2)}` : '';
}

// ---- the map

// Cells are as large as the window allows, but not too small to hit: then the map scrolls.
function layOut() {
  const columns = map.keys.length, rows = map.queries.length;
  const longest = labels => Math.max(...labels.map(label => [...label].length));
  const room = $('map').parentElement.clientWidth - 24;
  const beside = Math.min(longest(map.queries), 8) * 8;
  const below = innerHeight - 300;
  const least = Math.max(columns, rows) <= 200 ? 10 : 2;
  const size = Math.max(least, Math.floor(Math.min(28, (room - beside) / columns, below / rows)));
  const font = Math.min(14, Math.round(size * 0.85));
  const style = $('map').style;
  style.setProperty('--cell', size + 'px');
  style.setProperty('--font', font + 'px');
  style.setProperty('--columns', columns);
  style.setProperty('--rows', rows);
  $('map').classList.toggle('upright', longest(map.keys) * font * 0.62 > size);
  $('map').classList.toggle('dense', size < 8);
}

function weightText(weight) {
  if (weight === null) return 'not a number';
  return weight === 0 || weight >= 0.0001 ? weight.toFixed(4) : weight.toExponential(1);
}

function name(label, number) {
  const result = document.createDocumentFragment();
  result.append(element('b', label), number < 0 ? ' (no token)' : ` (place ${number})`);
  return result;
}

// Marks a weight and says what it is, or neither.
function point(at) {
  for (const label of $('map').querySelectorAll('.seen')) label.classList.remove('seen');
  $('cursor').hidden = !at;
  if (!at) {
    $('value').replaceChildren(element('span', 'Point at a weight, or tap it, to read it.', 'soft'));
    return;
  }
  $('cursor').style.left = `calc(var(--cell) * ${at.key})`;
  $('cursor').style.top = `calc(var(--cell) * ${at.query})`;
  $('keys').children[at.key].classList.add('seen');
  $('queries').children[at.query].classList.add('seen');
  $('value').replaceChildren(name(map.queries[at.query], at.query + map.first), ' looks at ',
                             name(map.keys[at.key], at.key - map.extra), ' with weight ',
                             element('strong', weightText(head.weights[at.query][at.key])));
}

function cellUnder(event) {
  const box = $('cells').getBoundingClientRect();
  const index = (offset, size, count) => Math.max(0, Math.min(count - 1, Math.floor(offset / size * count)));
  return { query: index(event.clientY - box.top, box.height, map.queries.length),
           key: index(event.clientX - box.left, box.width, map.keys.length) };
}

// ---- what is shown

function show() {
  const name = `${map.name} head ${head.head}`;
  document.title = `${name} · ${title}`;
  $('title').textContent = name;
  $('pattern').textContent = pattern(head);
  $('module').textContent = map.module;
  $('layer').value = map.layer;
  $('head').replaceChildren(...map.heads.map(each => element('option', each.head)));
  $('head').value = head.head;
  $('map').setAttribute('aria-label', `Weights of ${name}; arrow keys move from one to the next`);
  $('keys').replaceChildren(...map.keys.map(label => element('span', label)));
  $('queries').replaceChildren(...map.queries.map(label => element('span', label)));
  draw($('cells'), head.weights);
  layOut();
  point(cell);
  for (const button of $('overview').querySelectorAll('button'))
    button.setAttribute('aria-pressed', button.dataset.layer == map.layer && button.dataset.head == head.head);
}

function readAddress() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const number = name => /^\d+$/.test(wanted.get(name)) ? Number(wanted.get(name)) : -1;
  map = maps.find(each => each.layer === number('layer')) || maps[0];
  head = map.heads.find(each => each.head === number('head')) || map.heads[0];
  const at = { query: number('query'), key: number('key') };
  cell = at.query in map.queries && at.key in map.keys ? at : null;
  show();
}

function choose(newMap, newHead, newCell) {
  const same = newMap === map;
  map = newMap;
  head = newHead;
  cell = same ? newCell : null;
  const place = cell ? `&query=${cell.query}&key=${cell.key}` : '';
  history.replaceState(null, '', `#layer=${map.layer}&head=${head.head}${place}`);
  show();
}

// The nearest that there is, `step` further on.
function moved(list, item, step) {
  return list[Math.max(0, Math.min(list.length - 1, list.indexOf(item) + step))];
}

const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

function onKey(event) {
  const step = steps[event.key];
  const at = document.activeElement;
  if (!step || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || at.tagName === 'SELECT') return;
  const [down, right] = step;
  if (at === $('map')) {
    const from = cell || { query: -down, key: -right };
    const within = (i, count) => Math.max(0, Math.min(count - 1, i));
    choose(map, head, { query: within(from.query + down, map.queries.length),
                        key: within(from.key + right, map.keys.length) });
    $('cursor').scrollIntoView({ block: 'nearest', inline: 'nearest' });
  } else if (right) {
    choose(map, moved(map.heads, head, right), cell);
  } else if (maps.length > 1) {
    const next = moved(maps, map, down);
    choose(next, next.heads[Math.min(map.heads.indexOf(head), next.heads.length - 1)], cell);
  } else {
    return;
  }
  event.preventDefault();
  if ($('overview').contains(at)) $('overview').querySelector('[aria-pressed=true]').focus();
}

// ---- the page

function thumbnail(map, head) {
  const button = element('button');
  button.type = 'button';
  button.dataset.layer = map.layer;
  button.dataset.head = head.head;
  button.append(element('canvas'), element('b', `head ${head.head}`), element('span', pattern(head), 'soft'));
  button.firstChild.setAttribute('aria-hidden', 'true');
  button.addEventListener('click', () => choose(map, head, cell));
  return button;
}

function drawThumbnails() {
  const canvases = $('overview').querySelectorAll('canvas');
  maps.flatMap(map => map.heads).forEach((head, i) => draw(canvases[i], head.weights));
}

function begin() {
  document.querySelector('h1').textContent = title;
  for (const each of maps) {
    const option = element('option', each.name);
    option.value = each.layer;
    $('layer').append(option);
    const heads = element('div', undefined, 'heads');
    heads.append(...each.heads.map(head => thumbnail(each, head)));
    const layer = element('div', undefined, 'layer');
    layer.append(element('h2', each.name), heads);
    $('overview').append(layer);
  }
  drawThumbnails();

  $('layer').addEventListener('change', () => {
    const next = maps.find(each => each.layer == $('layer').value);
    choose(next, next.heads[0], null);
  });
  $('head').addEventListener('change', () => choose(map, map.heads.find(each => each.head == $('head').value), cell));
  $('cells').addEventListener('pointermove', event => point(cellUnder(event)));
  $('cells').addEventListener('pointerleave', () => point(cell));
  $('cells').addEventListener('click', event => choose(map, head, cellUnder(event)));
  document.addEventListener('keydown', onKey);
  window.addEventListener('hashchange', readAddress);
  window.addEventListener('resize', layOut);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    drawThumbnails();
    show();
  });
  readAddress();
}

begin();
)js";

}  // namespace tapehead
