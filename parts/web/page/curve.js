// Draws loss curves over steps as SVG. A line is { style, points: [{ step, value }] }. `about` is
// the text for screen readers. `isMarked`: lines of the style 'held-out' have a dot at each point.

function drawnCurves(steps, lines, about, { width = 640, height = 180, isMarked = false } = {}) {
  const left = 44, bottom = 20;
  const all = lines.flatMap(({ points }) => points.map(({ value }) => value));
  const known = all.filter(Number.isFinite);
  const root = drawn('svg', {
    viewBox: `0 0 ${width} ${height}`,
    class: 'loss-curve',
    role: 'img',
    'aria-label': about,
  });
  if (known.length === 0) return root;
  const draw = (tag, attributes, text) => root.append(drawn(tag, attributes, text));
  const top = Math.max(...known) * 1.05 || 1;
  const x = step => left + ((width - left - 8) * step) / Math.max(steps, 1);
  const y = value => 8 + (height - bottom - 8) * (1 - value / top);
  for (const part of [0, 0.5, 1]) {
    const value = (top / 1.05) * part;
    draw('line', { x1: left, x2: width, y1: y(value), y2: y(value), class: 'grid' });
    const text = value === 0 ? '0' : value.toPrecision(2);
    draw('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, text);
  }
  draw('text', { x: left, y: height - 4 }, trainTexts.firstStep);
  draw('text', { x: width - 8, y: height - 4, 'text-anchor': 'end' }, String(steps));
  for (const { style, points } of lines) {
    const path = points.map(({ step, value }) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`);
    draw('polyline', { points: path.join(' '), class: style });
    if (isMarked && style === 'held-out')
      for (const { step, value } of points)
        draw('circle', { cx: x(step), cy: y(value), r: 3, class: style });
  }
  return root;
}
