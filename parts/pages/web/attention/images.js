// Images, and a head's attention as an overlay. An image is { rows, columns, pixels }, with an
// RRGGBB colour for each pixel in row-major order. If the model reads the image as patches, `patch`
// is their side in pixels and `before` the number of tokens before them.
function drawImage(canvas, { rows, columns, pixels }) {
  return paint(canvas, columns, rows, set => {
    for (let i = 0; i < rows * columns; ++i) {
      const colour = parseInt(pixels.slice(6 * i, 6 * i + 6), 16);
      set(i, [colour >> 16, (colour >> 8) & 255, colour & 255, 255]);
    }
  });
}

function imageOf(image, name) {
  const canvas = make('canvas.image', { role: 'img', 'aria-label': name });
  drawImage(canvas, image);
  return canvas;
}

// An image shaded by a head's weights on its patches: the weights of the selected query, otherwise
// of the class token; without a class token, the mean over all patches as queries.
class ImageOverlay {
  constructor() {
    this.canvas = make('canvas.image.large', { 'aria-hidden': true });
    this.caption = make('figcaption.soft');
    this.root = make('figure.overlay', this.canvas, this.caption);
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
    const { ofQuery, ofClass, ofPatches } = t('attention');
    const ofAll = before ? ofClass : ofPatches;
    this.caption.textContent = query === undefined ? ofAll : ofQuery(queries[query]);
  }
}
