// Functions for all scripts: page elements, texts, downloads.
'use strict';

const $ = id => document.getElementById(id);
const data = JSON.parse($('data').textContent);

// Creates an element, as in make('p.soft', { id: 'state', onclick: action }, 'text', others…).
// Leaves out contents that are undefined, null or false.
function make(kind, ...contents) {
  const [tag, ...classes] = kind.split('.');
  const result = document.createElement(tag);
  if (classes.length > 0) result.className = classes.join(' ');
  for (const content of contents.flat(Infinity)) {
    if (content?.constructor === Object) attributed(result, content);
    else if (content !== undefined && content !== null && content !== false) result.append(content);
  }
  return result;
}

// Sets attributes and returns the element. A function listens to the event in its name; true and
// false add and remove an attribute such as `hidden`; null removes one.
function attributed(result, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    const isFlag = typeof value === 'boolean' && !name.startsWith('aria-');
    if (typeof value === 'function') result.addEventListener(name.slice(2), value);
    else if (isFlag) result.toggleAttribute(name, value);
    else if (value === null) result.removeAttribute(name);
    else if (value !== undefined) result.setAttribute(name, value);
  }
  return result;
}

// Creates an SVG element.
function drawn(tag, attributes, ...contents) {
  const result = document.createElementNS('http://www.w3.org/2000/svg', tag);
  result.append(...contents.filter(content => content !== undefined));
  return attributed(result, attributes);
}

const button = (text, action, attributes) =>
  make('button', { type: 'button', onclick: action, ...attributes }, text);

// Returns a form that calls `action` when the reader submits it.
function makeForm(kind, action, ...contents) {
  const submit = event => {
    event.preventDefault();
    action();
  };
  return make(kind, { onsubmit: submit }, ...contents);
}

// Returns a label with a text and its control.
const labelled = (text, control) => make('label', text, control);

function setOptions(select, names, values = [...names.keys()]) {
  select.replaceChildren(...names.map((name, i) => make('option', { value: values[i] }, name)));
  return select;
}

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

const hasModifier = event => event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;

function plural(count, what) {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

// Returns the name of a tensor's element with a row-major index: `x[0, 1]`; `x` for a scalar.
function elementName(name, element, shape) {
  const index = [];
  for (const length of [...shape].reverse()) {
    index.unshift(element % length);
    element = Math.floor(element / length);
  }
  return shape.length === 0 ? name : `${name}[${index.join(', ')}]`;
}

// Returns the index of the number with the largest absolute value; null (not finite) counts as 0.
function largest(numbers) {
  let found = 0;
  numbers.forEach((number, i) => {
    if (Math.abs(number) > Math.abs(numbers[found])) found = i;
  });
  return found;
}

// Returns a typed number as JavaScript and the command read it: with a decimal point and a minus sign.
const plainNumber = text =>
  text.trim().replace(/^[−–]/, '-').replace(/^(-?\d*),(\d+)$/, '$1.$2');

// Returns whether a typed number is correct: within 1 %, or correctly rounded to its last decimal
// and within 5 %.
function isNear(text, wanted) {
  const [digits, exponent = '0'] = text.toLowerCase().split('e');
  const decimals = (digits.split('.')[1] ?? '').length;
  const rounding = decimals > 0 ? 0.5 * 10 ** (Number(exponent) - decimals) : 0;
  const size = Math.abs(wanted);
  return Math.abs(Number(text) - wanted) <= Math.max(0.01 * size, Math.min(rounding, 0.05 * size));
}

// Downloads bytes as a file.
function save(name, bytes, type = 'application/octet-stream') {
  const href = URL.createObjectURL(new Blob([bytes], { type }));
  const link = make('a', { href, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// Returns a box that scrolls content wider than the page, also with the keyboard.
const scrolling = (content, name) =>
  make('div.scroll', { tabindex: 0, role: 'region', 'aria-label': name }, content);

// ---- what a page keeps when it is loaded again; nothing if the browser has no storage for it

function remember(name, value) {
  try {
    sessionStorage.setItem(`${name} ${location.pathname}`, JSON.stringify(value));
  } catch {
    // The page works without.
  }
}
function remembered(name) {
  try {
    return JSON.parse(sessionStorage.getItem(`${name} ${location.pathname}`));
  } catch {
    return null;
  }
}

// ---- pixels and the pointer

// Returns a colour of the page's style, such as --ink, as [red, green, blue].
const colourNamed = name =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim().split(' ');

// Paints a canvas. fill(set) calls set(i, [red, green, blue, opacity]) for pixels in row-major
// order.
function paint(canvas, width, height, fill) {
  Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d');
  const image = context.createImageData(width, height);
  fill((i, colour) => image.data.set(colour, 4 * i));
  context.putImageData(image, 0, 0);
  return context;
}

// Returns the [column, row] under the pointer in an element of equal cells.
function cellUnder(event, target, columns, rows) {
  const { left, top, width, height } = target.getBoundingClientRect();
  const index = (offset, size, count) => clamp(Math.floor((offset / size) * count), 0, count - 1);
  return [index(event.clientX - left, width, columns), index(event.clientY - top, height, rows)];
}

// The [down, right] of arrow keys.
const arrowSteps = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};
