#include "page_parts.hpp"

namespace tapehead {

// What the other scripts stand on: elements, numbers in words, tables.
const char* const report_base_script = R"js(
'use strict';
const { title, runs } = JSON.parse(document.getElementById('data').textContent);

function element(tag, text, className) {
  const result = document.createElement(tag);
  if (text !== undefined) result.textContent = text;
  if (className) result.className = className;
  return result;
}
function drawn(tag, attributes, text) {
  const result = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const name in attributes) result.setAttribute(name, attributes[name]);
  if (text !== undefined) result.textContent = text;
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
function options(select, names) {
  select.replaceChildren(...names.map((name, i) => {
    const option = element('option', name);
    option.value = i;
    return option;
  }));
  return select;
}
// What is wider than the page scrolls by itself, also from the keyboard.
function scrolling(content, name) {
  const result = element('div', undefined, 'scroll');
  result.tabIndex = 0;
  result.setAttribute('role', 'region');
  result.setAttribute('aria-label', name);
  result.append(content);
  return result;
}
function section(id, heading) {
  const result = element('section');
  result.id = id;
  result.append(element('h2', heading));
  result.setAttribute('aria-label', heading);
  document.querySelector('main').append(result);
  const link = element('a', heading);
  link.href = '#' + id;
  document.querySelector('nav').append(link);
  return result;
}

// Five digits at most, and no more zeros than it needs.
function number(value) {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return value.toExponential(3).replace(/\.?0+e/, 'e');
  if (size >= 1e4) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(5)));
}
// The same, as short as an axis wants it.
function short(value) {
  const size = Math.abs(value), digits = x => String(Number(x.toPrecision(6)));
  if (size >= 1e15) return value.toExponential(0);
  for (const [unit, name] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']])
    if (size >= (unit === 1e3 ? 1e4 : unit)) return digits(value / unit) + name;
  return size > 0 && size < 1e-4 ? value.toExponential(2).replace(/\.?0+e/, 'e') : digits(value);
}
function plural(count, what) {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}
const within = (value, low, high) => Math.max(low, Math.min(high, value));

// Rows of texts or elements; the first of each is its heading.
function table(head, rows, classOf = () => '') {
  const cell = (content, tag) => {
    const result = element(tag);
    result.append(content);
    return result;
  };
  const result = element('table'), top = element('thead'), body = element('tbody'), line = element('tr');
  for (const name of head) line.append(Object.assign(cell(name, 'th'), { scope: 'col' }));
  top.append(line);
  rows.forEach((row, i) => {
    const line = element('tr', undefined, classOf(i));
    row.forEach((content, j) => line.append(j ? cell(content, 'td') : Object.assign(cell(content, 'th'), { scope: 'row' })));
    body.append(line);
  });
  result.append(top, body);
  return result;
}
)js";

}  // namespace tapehead
