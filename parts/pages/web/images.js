// Images, and what a head looks at in them. An image is { rows, columns, pixels }, with a colour
// RRGGBB for each pixel, row by row; one that a model has read as patches has also their side,
// `patch`, and `before`, the number of tokens that it reads before them.
function drawImage(canvas, { rows, columns, pixels }) {
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext('2d');
  const image = context.createImageData(columns, rows);
  for (let i = 0; i < rows * columns; ++i) {
    const colour = parseInt(pixels.slice(6 * i, 6 * i + 6), 16);
    image.data.set([colour >> 16, (colour >> 8) & 255, colour & 255, 255], 4 * i);
  }
  context.putImageData(image, 0, 0);
  return context;
}

function imageOf(image, name) {
  const attributes = { role: 'img', 'aria-label': name };
  const canvas = attributed(element('canvas', undefined, 'image'), attributes);
  drawImage(canvas, image);
  return canvas;
}

// The image under the weights that a head gives to its patches: of one query, or else of the class
// token, or else of all patches on average.
class ImageOverlay {
  constructor() {
    this.canvas = attributed(element('canvas', undefined, 'image large'), { 'aria-hidden': true });
    this.caption = element('figcaption', '', 'soft');
    this.root = element('figure', undefined, 'overlay');
    this.root.append(this.canvas, this.caption);
  }

  show(image, { keys, queries }, weights, query) {
    this.root.hidden = !image;
    if (!image) return;
    const { patch, before, columns } = image;
    const all = [...queries.keys()];
    const rows = query !== undefined ? [query] : before ? [0] : all;
    const seen = keys.slice(before).map((_, key) => {
      const sum = rows.reduce((all, row) => all + weights[row * keys.length + before + key], 0);
      return sum / rows.length;
    });
    const most = Math.max(...seen, 1e-30);
    const across = columns / patch;
    const context = drawImage(this.canvas, image);
    seen.forEach((weight, i) => {
      context.fillStyle = `rgb(255 140 0 / ${(0.8 * weight) / most})`;
      context.fillRect((i % across) * patch, Math.floor(i / across) * patch, patch, patch);
    });
    this.caption.textContent =
      query !== undefined
        ? `where ${queries[query]} looks`
        : before
          ? 'where the class token looks'
          : 'where all patches look, on average';
  }
}
