// Sections of a page, with their headings and tables.

function section(id, heading) {
  const result = attributed(element('section'), { id, 'aria-label': heading });
  result.append(element('h2', heading));
  document.querySelector('main').append(result);
  document.querySelector('nav').append(attributed(element('a', heading), { href: `#${id}` }));
  return result;
}

// Returns a table of texts or elements; the first cell of each row is the row's heading.
function table(head, rows, className = '') {
  const headingCell = (content, scope) => {
    const result = attributed(element('th'), { scope });
    result.append(content);
    return result;
  };
  const cell = content => {
    const result = element('td');
    result.append(content);
    return result;
  };
  const line = element('tr');
  line.append(...head.map(name => headingCell(name, 'col')));
  const top = element('thead');
  top.append(line);
  const body = element('tbody');
  for (const [first, ...others] of rows) {
    const row = element('tr', undefined, className);
    row.append(headingCell(first, 'row'), ...others.map(cell));
    body.append(row);
  }
  const result = element('table');
  result.append(top, body);
  return result;
}
