// Histograms over steps: a column for each evaluation, darker where there are more values.

// Returns the index of the bin of a step's histogram that contains a value; -1 if all values are
// equal.
function binAt({ from, to, counts }, column, value) {
  const width = (to[column] - from[column]) / counts[column].length;
  return width > 0 ? Math.floor((value - from[column]) / width) : -1;
}

// Draws histograms on a canvas; the bottom row is the value `low`, the top row `high`.
function drawDistributions(canvas, series, low, high) {
  const rows = 120;
  const { from, to, counts } = series;
  const ink = colourNamed('--ink');
  const half = (high - low) / rows / 2;
  paint(canvas, counts.length, rows, set =>
    counts.forEach((bins, column) => {
      const most = Math.max(...bins);
      for (let row = 0; row < rows; ++row) {
        const value = high - ((row + 0.5) / rows) * (high - low);
        const isConstant = from[column] === to[column] && Math.abs(value - from[column]) <= half;
        const count = bins[binAt(series, column, value)] ?? (isConstant ? most : 0);
        set(row * counts.length + column, [...ink, 255 * Math.sqrt(count / most)]);
      }
    }),
  );
}

const rounded = value => short(Number(value.toPrecision(3)));

function distribution(series) {
  const { name, steps, from, to, counts } = series;
  let [low, high] = [Math.min(...from), Math.max(...to)];
  if (low === high) [low, high] = [low - 1, high + 1];
  const last = steps.length - 1;
  const words = `${name}: from ${rounded(from[last])} to ${rounded(to[last])} at step ${steps[last]}`;
  const place = make('span.soft');
  // Shows the step, value and count under the pointer.
  const read = event => {
    const [column] = cellUnder(event, canvas, steps.length, 1);
    const { top, height } = canvas.getBoundingClientRect();
    const value = high - ((event.clientY - top) / height) * (high - low);
    const count = counts[column][binAt(series, column, value)] ?? 0;
    place.textContent = `step ${steps[column]} · ${rounded(value)} · ${count}`;
  };
  const canvas = make('canvas', {
    role: 'img',
    'aria-label': words,
    onpointermove: read,
    onpointerleave: () => (place.textContent = ''),
  });
  const textsOf = (kind, ...texts) =>
    make(`div.${kind}.soft`, texts.map(text => make('span', text)));
  const root = make(
    'figure.distribution',
    make('figcaption', make('span', name), place),
    make('div.plane', canvas, textsOf('scale', rounded(high), rounded(low))),
    textsOf('ends', `step ${steps[0]}`, `${steps[last]}`),
  );
  return { root, draw: () => drawDistributions(canvas, series, low, high) };
}

// Returns the section of histograms, in which the reader selects weights, gradients or activations.
function distributionsPart(kinds) {
  const names = Object.keys(kinds);
  const show = () => {
    const all = kinds[select.value].map(distribution);
    grid.replaceChildren(...all.map(each => each.root));
    for (const each of all) each.draw();
  };
  const select = setOptions(make('select', { onchange: show }), names, names);
  const grid = make('div.distributions');
  const root = make('div', make('div.choose.controls', labelled('Of', select)), grid);
  return { root, show };
}
