// Sections of a page, with their headings and tables.

// Shows the page's title, and below it these elements and links to all sections.
function titled(title, ...elements) {
  const heading = document.querySelector('h1');
  heading.textContent = title;
  heading.after(...elements, make('nav', { 'aria-label': 'Sections' }));
}

function section(id, heading) {
  const result = make('section', { id, 'aria-label': heading }, make('h2', heading));
  document.querySelector('main').append(result);
  document.querySelector('nav').append(make('a', { href: `#${id}` }, heading));
  return result;
}

// Returns a table of texts or elements; the first cell of each row is the row's heading. Styles of
// the kind table.rows turn its rows into lists on narrow screens.
function table(heads, rows, kind = 'table') {
  const headingCell = (content, scope) => make('th', { scope }, content);
  const cell = (content, i) => make('td', { 'data-name': heads[i + 1].textContent ?? heads[i + 1] }, content);
  const rowOf = ([first, ...others]) =>
    make('tr', headingCell(first, 'row'), others.map(cell));
  const head = make('thead', make('tr', heads.map(name => headingCell(name, 'col'))));
  return make(kind, head, make('tbody', rows.map(rowOf)));
}
