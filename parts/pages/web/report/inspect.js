// The page of an `inspect` experiment: notes, graphs, grids, tables and curves.
const mostNumbers = 24; // a grid with more columns shows only colours

titled(data.title, ...data.notes.map(note => make('p', note)));

const idOf = (kind, index) => `${kind}-${index}`;

// Returns a cell's colour for a value divided by the largest; negative values have another hue.
function tint(share) {
  const opacity = Math.round(85 * Math.min(1, Math.abs(share)));
  const hue = share < 0 ? 'var(--mark)' : 'rgb(var(--ink))';
  return `background: color-mix(in srgb, ${hue} ${opacity}%, var(--field))`;
}

function gridTable(grid) {
  const { rows, columns, values, texts, full } = grid;
  const dense = !texts && columns.length > mostNumbers;
  const textOf = (value, r, c) => {
    if (value === null || dense) return '';
    return texts ? texts[r][c] : value.toFixed(2).replace(/^-(0\.00)$/, '$1');
  };
  const cells = values.map((row, r) => [rows[r], ...row.map((value, c) => textOf(value, r, c))]);
  const result = table([grid.down, ...columns], cells, dense ? 'table.grid.dense' : 'table.grid');
  const all = values.flat();
  result.querySelectorAll('td').forEach((cell, i) => {
    if (all[i] === null) return;
    const where = `${rows[Math.floor(i / columns.length)]}, ${columns[i % columns.length]}`;
    attributed(cell, { title: `${where}: ${number(all[i])}` });
    cell.style = tint(all[i] / full);
    cell.classList.toggle('half', Math.abs(all[i] / full) > 0.58);
    cell.classList.toggle('strong', Math.abs(all[i] / full) > 0.82);
  });
  return result;
}

(data.graphs ?? []).forEach((graph, i) =>
  drawCircuit(graph, section(idOf('graph', i), graph.title)),
);

data.grids.forEach((grid, i) => {
  const part = section(idOf('grid', i), grid.title);
  const cells = gridTable(grid);
  const read = make('p.read.soft', { role: 'status' });
  cells.addEventListener('pointerover', event => {
    read.textContent = event.target.title || '';
  });
  const legend = [grid.down && `↓ ${grid.down}.`, grid.across && `→ ${grid.across}.`];
  legend.push(`The strongest colours are −${number(grid.full)} and ${number(grid.full)}.`);
  part.append(
    make('p.soft', legend.filter(Boolean).join(' ')),
    scrolling(cells, grid.title),
    read,
  );
});

function cellText(value, isShare) {
  if (value === null) return '–';
  if (typeof value === 'string') return value;
  return isShare ? `${number(100 * value)} %` : number(value);
}

data.tables.forEach(({ title, shares, rows }, i) => {
  const names = Object.keys(rows[0] ?? {});
  const cells = rows.map(row =>
    names.map(name => make('span.number', cellText(row[name], shares.includes(name)))),
  );
  section(idOf('table', i), title).append(scrolling(table(names, cells), title));
});

data.curves.forEach(({ title, quantity, steps, lines }, i) => {
  const curves = Object.entries(lines).map(([name, values], index) => {
    return { name, steps, values, look: curveLook(index, true) };
  });
  const chart = new Chart(quantity, '', curves, stepsOf(curves), 'steps');
  chart.root.classList.add('wide');
  section(idOf('curves', i), title).append(make('div.charts', chart.root));
  chart.draw();
});
