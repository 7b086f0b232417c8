// Histograms over steps: a column for each evaluation, darker where there are more values.

// Draws histograms on a canvas; the bottom row is the value `low`, the top row `high`.
function drawDistributions(canvas, { from, to, counts }, low, high) {
  const rows = 120;
  canvas.width = counts.length;
  canvas.height = rows;
  const context = canvas.getContext('2d');
  const [red, green, blue] = getComputedStyle(canvas).getPropertyValue('--ink').trim().split(' ');
  const image = context.createImageData(counts.length, rows);
  const valueOf = row => high - ((row + 0.5) / rows) * (high - low);
  counts.forEach((bins, column) => {
    const most = Math.max(...bins);
    const width = (to[column] - from[column]) / bins.length;
    for (let row = 0; row < rows; ++row) {
      const place = width > 0 ? Math.floor((valueOf(row) - from[column]) / width) : -1;
      const half = (high - low) / rows / 2;
      const constant = width > 0 ? 0 : Math.abs(valueOf(row) - from[column]) <= half ? most : 0;
      const share = (bins[place] ?? constant) / most;
      const colour = [red, green, blue, 255 * Math.sqrt(share)];
      image.data.set(colour, 4 * (row * counts.length + column));
    }
  });
  context.putImageData(image, 0, 0);
}

const rounded = value => short(Number(value.toPrecision(3)));

function distribution(series) {
  const { name, steps, from, to, counts } = series;
  let [low, high] = [Math.min(...from), Math.max(...to)];
  if (low === high) [low, high] = [low - 1, high + 1];
  const last = steps.length - 1;
  const words = `${name}: from ${rounded(from[last])} to ${rounded(to[last])} at step ${steps[last]}`;
  const canvas = attributed(element('canvas'), { role: 'img', 'aria-label': words });
  const caption = element('figcaption');
  const place = element('span', '', 'soft');
  caption.append(element('span', name), place);
  const scale = element('div', undefined, 'scale soft');
  scale.append(element('span', rounded(high)), element('span', rounded(low)));
  const ends = element('div', undefined, 'ends soft');
  ends.append(element('span', `step ${steps[0]}`), element('span', `${steps[last]}`));
  const plot = element('div', undefined, 'plane');
  plot.append(canvas, scale);
  // Shows the step, bin and count under the pointer.
  canvas.addEventListener('pointermove', event => {
    const box = canvas.getBoundingClientRect();
    const column = clamp(Math.floor(((event.clientX - box.left) / box.width) * steps.length), 0, last);
    const value = high - ((event.clientY - box.top) / box.height) * (high - low);
    const width = (to[column] - from[column]) / counts[column].length;
    const bin = width > 0 ? Math.floor((value - from[column]) / width) : -1;
    const count = counts[column][bin] ?? 0;
    place.textContent = `step ${steps[column]} · ${rounded(value)} · ${count}`;
  });
  canvas.addEventListener('pointerleave', () => (place.textContent = ''));
  const root = element('figure', undefined, 'distribution');
  root.append(caption, plot, ends);
  return { root, draw: () => drawDistributions(canvas, series, low, high) };
}

// Returns the section of histograms, in which the reader selects weights, gradients or activations.
function distributionsPart(kinds) {
  const names = Object.keys(kinds);
  const select = setOptions(element('select'), names, names);
  const bar = element('div', undefined, 'choose controls');
  bar.append(labelled('Of', select));
  const grid = element('div', undefined, 'distributions');
  const show = () => {
    const all = kinds[select.value].map(distribution);
    grid.replaceChildren(...all.map(each => each.root));
    for (const each of all) each.draw();
  };
  select.addEventListener('change', show);
  const root = element('div');
  root.append(bar, grid);
  return { root, show };
}
