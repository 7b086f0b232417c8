// The page of an experiment: its notes, grids, tables and curves.
const runs = [data]; // a single one, as charts count them
const mostNumbers = 24; // columns of a grid with room for numbers

document.querySelector('h1').textContent = data.title;
document
  .querySelector('h1')
  .after(
    ...data.notes.map(note => element('p', note)),
    attributed(element('nav'), { 'aria-label': 'Sections' }),
  );

const idOf = (kind, index) => `${kind}-${index}`;

// A share of the strongest colour: the page's ink, or its mark for what is negative.
function tint(share) {
  const opacity = Math.round(85 * Math.min(1, Math.abs(share)));
  const hue = share < 0 ? 'var(--mark)' : 'rgb(var(--ink))';
  return `background: color-mix(in srgb, ${hue} ${opacity}%, var(--back))`;
}

function gridTable(grid) {
  const { rows, columns, values, texts, decimals, strongest } = grid;
  const dense = texts.length === 0 && columns.length > mostNumbers;
  const cells = rows.map((name, r) => [
    name,
    ...columns.map((_, c) => {
      const value = values[r * columns.length + c];
      if (value === null) return '';
      if (texts.length > 0) return texts[r * columns.length + c];
      return dense ? '' : value.toFixed(decimals);
    }),
  ]);
  const result = table([grid.down, ...columns], cells);
  result.className = dense ? 'grid dense' : 'grid';
  result.querySelectorAll('td').forEach((cell, i) => {
    const value = values[i];
    if (value === null) return;
    const share = value / strongest;
    const row = rows[Math.floor(i / columns.length)];
    const where = `${grid.down} ${row}, ${grid.across} ${columns[i % columns.length]}`;
    cell.title = `${where}: ${number(value)}`;
    cell.style = tint(share);
    if (Math.abs(share) > 0.6) cell.style.color = 'var(--back)';
  });
  return result;
}

data.grids.forEach((grid, i) => {
  const part = section(idOf('grid', i), grid.title);
  const range = grid.signed ? `−${number(grid.strongest)} to ` : '0 to ';
  const legend = `${grid.down} down, ${grid.across} across; colours from ${range}${number(grid.strongest)}.`;
  part.append(element('p', legend, 'soft'), scrolling(gridTable(grid), grid.title));
});

function cellText(value, { share, decimals }) {
  if (value === null) return '–';
  if (typeof value === 'string') return value;
  if (!share) return value.toFixed(decimals);
  return `${(100 * value).toFixed(2)} %`;
}

data.tables.forEach(({ title, head, rows }, i) => {
  const cells = rows.map(row =>
    row.map((value, c) => element('span', cellText(value, head[c]), 'number')),
  );
  const names = head.map(({ name }) => name);
  section(idOf('table', i), title).append(scrolling(table(names, cells), title));
});

data.curves.forEach(({ title, quantity, lines }, i) => {
  const curves = lines.map((line, index) => ({ ...line, look: lookOf(0, index, true) }));
  const chart = new Chart(title, quantity, curves, stepsOf(curves), 'steps');
  const box = element('div', undefined, 'charts');
  chart.root.classList.add('wide');
  box.append(chart.root);
  section(idOf('curves', i), title).append(box);
  chart.draw();
  window.addEventListener('resize', () => chart.draw());
});
