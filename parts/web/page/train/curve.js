// A curve that grows while a run trains: the loss of each step, and of the held-out examples.

function drawnCurve(steps, { training, heldOut }) {
  const width = 640, height = 180, left = 44, bottom = 20;
  const all = [...training, ...heldOut].map(point => point.value).filter(Number.isFinite);
  const root = attributed(document.createElementNS('http://www.w3.org/2000/svg', 'svg'), {
    viewBox: `0 0 ${width} ${height}`,
    class: 'curve',
    role: 'img',
  });
  if (all.length === 0) return root;
  const draw = (tag, attributes, text) => {
    const result = document.createElementNS('http://www.w3.org/2000/svg', tag);
    if (text !== undefined) result.textContent = text;
    root.append(attributed(result, attributes));
  };
  const top = Math.max(...all) * 1.05 || 1;
  const x = step => left + ((width - left - 8) * step) / Math.max(steps, 1);
  const y = value => 8 + (height - bottom - 8) * (1 - value / top);
  for (const part of [0, 0.5, 1]) {
    const value = (top / 1.05) * part;
    draw('line', { x1: left, x2: width, y1: y(value), y2: y(value), class: 'grid' });
    const text = value === 0 ? '0' : value.toPrecision(2);
    draw('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, text);
  }
  draw('text', { x: left, y: height - 4 }, 'step 0');
  draw('text', { x: width - 8, y: height - 4, 'text-anchor': 'end' }, String(steps));
  const path = points =>
    points.map(({ step, value }) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  draw('polyline', { points: path(training), class: 'training' });
  draw('polyline', { points: path(heldOut), class: 'held-out' });
  for (const { step, value } of heldOut)
    draw('circle', { cx: x(step), cy: y(value), r: 3, class: 'held-out' });
  const last = training[training.length - 1];
  const about =
    last ? `loss over ${steps} steps; ${last.value.toPrecision(3)} at step ${last.step}` : 'loss';
  root.setAttribute('aria-label', about);
  return root;
}
