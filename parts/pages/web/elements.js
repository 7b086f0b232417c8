// What the other scripts build on: elements, numbers as text, tables.
'use strict';

const $ = id => document.getElementById(id);
const data = JSON.parse($('data').textContent);

function element(tag, text, className) {
  const result = document.createElement(tag);
  if (text !== undefined) result.textContent = text;
  if (className) result.className = className;
  return result;
}

// With these attributes: { id: 'map', role: 'application' }.
function attributed(result, attributes) {
  for (const name in attributes) result.setAttribute(name, attributes[name]);
  return result;
}

function button(text, action) {
  const result = element('button', text);
  result.type = 'button';
  result.addEventListener('click', action);
  return result;
}

// A control in a label that names it.
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

// What is wider than the page scrolls by itself, also from the keyboard.
function scrolling(content, name) {
  const attributes = { tabindex: 0, role: 'region', 'aria-label': name };
  const result = attributed(element('div', undefined, 'scroll'), attributes);
  result.append(content);
  return result;
}
