// Functions for all scripts: page elements, texts, downloads.
'use strict';

const $ = id => document.getElementById(id);
const data = JSON.parse($('data').textContent);

function element(tag, text, className) {
  const result = document.createElement(tag);
  if (text !== undefined) result.textContent = text;
  if (className) result.className = className;
  return result;
}

// Sets attributes, such as { id: 'map', role: 'application' }, and returns the element.
function attributed(result, attributes) {
  for (const name in attributes) result.setAttribute(name, attributes[name]);
  return result;
}

// Creates an SVG element.
function drawn(tag, attributes, text) {
  const result = document.createElementNS('http://www.w3.org/2000/svg', tag);
  if (text !== undefined) result.textContent = text;
  return attributed(result, attributes);
}

function button(text, action) {
  const result = element('button', text);
  result.type = 'button';
  result.addEventListener('click', action);
  return result;
}

// Returns a label with a text and its control.
function labelled(text, control) {
  const result = element('label', text);
  result.append(control);
  return result;
}

function setOptions(select, names, values = [...names.keys()]) {
  select.replaceChildren(
    ...names.map((name, i) => Object.assign(element('option', name), { value: values[i] })),
  );
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
  const link = element('a');
  link.href = URL.createObjectURL(new Blob([bytes], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// Returns a box that scrolls content wider than the page, also with the keyboard.
function scrolling(content, name) {
  const attributes = { tabindex: 0, role: 'region', 'aria-label': name };
  const result = attributed(element('div', undefined, 'scroll'), attributes);
  result.append(content);
  return result;
}
