// The graph of a circuit: components in columns, in the order of the forward pass, and the edges
// with the largest scores as curves. Selecting a component shows only its edges.
const nodeSize = { width: 92, height: 36 };
const gaps = { column: 76, row: 14, border: 8, above: 48 };
const mostCurves = 60; // number of edges that are drawn at first
const inputOrder = ['query', 'key', 'value'];

// Returns the nodes by name, with their column and upper left corner, and the size of the picture.
function placedNodes(nodes) {
  const levels = [...new Set(nodes.map(node => node.level))].sort((a, b) => a - b);
  const columns = levels.map(level => nodes.filter(node => node.level === level));
  const rows = Math.max(...columns.map(column => column.length));
  const step = { x: nodeSize.width + gaps.column, y: nodeSize.height + gaps.row };
  const placed = new Map();
  columns.forEach((column, i) =>
    column.forEach((node, row) => {
      const y = gaps.above + step.y * (row + (rows - column.length) / 2);
      placed.set(node.name, { ...node, column: i, x: gaps.border + step.x * i, y });
    }),
  );
  const width = 2 * gaps.border + step.x * columns.length - gaps.column;
  return { placed, width, height: 2 * gaps.above + step.y * rows - gaps.row };
}

// Returns the height within a node where an edge ends; a head has an input for each of its parts.
function inputHeight(edge) {
  const part = inputOrder.indexOf(edge.input);
  return (nodeSize.height * (part < 0 ? 2 : part + 1)) / 4;
}

function edgeName(edge) {
  return [edge.from, '→', edge.to, edge.input].filter(Boolean).join(' ');
}

// Returns how far a curve is bent up (negative) or down, so that it passes the columns in between.
function lift(from, to, height) {
  const skipped = to.column - from.column - 1;
  const isUpper = from.y + to.y + nodeSize.height <= height;
  return Math.min(24 * skipped, 60) * (isUpper ? -1 : 1);
}

function edgeCurve(edge, { placed, height }, quantity, largestScore) {
  const from = placed.get(edge.from);
  const to = placed.get(edge.to);
  const start = [from.x + nodeSize.width, from.y + nodeSize.height / 2];
  const end = [to.x, to.y + inputHeight(edge)];
  const bend = (end[0] - start[0]) / 2;
  const up = lift(from, to, height);
  const points = [start, [start[0] + bend, start[1] + up], [end[0] - bend, end[1] + up], end];
  const share = largestScore > 0 ? Math.abs(edge.score) / largestScore : 0;
  const curve = drawn('path', {
    d: `M${points[0]} C${points.slice(1).join(' ')}`,
    class: edge.score < 0 ? 'flow negative' : 'flow',
    'stroke-width': (1 + 7 * share).toFixed(2),
    opacity: (0.25 + 0.75 * share).toFixed(2),
  });
  curve.append(drawn('title', {}, `${edgeName(edge)}: ${quantity} ${number(edge.score)}`));
  return curve;
}

function nodeBox(node, hasParts, select) {
  const box = drawn('g', { class: 'component', tabindex: 0, role: 'button', 'aria-pressed': false });
  box.append(
    drawn('rect', { x: node.x, y: node.y, rx: 5, ...nodeSize }),
    drawn('text', { x: node.x + nodeSize.width / 2, y: node.y + nodeSize.height / 2 + 4 }, node.name),
  );
  if (hasParts)
    inputOrder.forEach((input, i) => {
      const y = node.y + (nodeSize.height * (i + 1)) / 4 + 3;
      box.append(drawn('text', { x: node.x + 7, y, class: 'input' }, input[0]));
    });
  box.addEventListener('click', select);
  box.addEventListener('keydown', event => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    select();
  });
  return box;
}

// Appends the graph { title, quantity, nodes, edges } to a section.
function drawCircuit(graph, part) {
  const places = placedNodes(graph.nodes);
  const { placed, width, height } = places;
  const byScore = [...graph.edges].sort((a, b) => Math.abs(b.score) - Math.abs(a.score));
  const largestScore = Math.abs(byScore[0]?.score ?? 0);
  const viewBox = `0 0 ${width} ${height}`;
  const picture = drawn('svg', { class: 'components', width, height, viewBox });
  const curves = drawn('g', {});
  const status = make('p.read.soft', { role: 'status' });
  const count = make('input', { type: 'range', min: 0, max: byScore.length });
  count.value = Math.min(mostCurves, byScore.length);
  let selected;
  const draw = () => {
    const touches = edge => !selected || edge.from === selected || edge.to === selected;
    const shown = byScore.slice(0, Number(count.value)).filter(touches);
    curves.replaceChildren(
      ...shown.reverse().map(edge => edgeCurve(edge, places, graph.quantity, largestScore)),
    );
    for (const [name, box] of boxes) box.setAttribute('aria-pressed', name === selected);
    const of = selected ? ` of ${selected}` : '';
    status.textContent = `${plural(shown.length, 'edge')}${of}; ${byScore.length} in all`;
  };
  const boxes = new Map(
    [...placed.values()].map(node => {
      const hasParts = graph.edges.some(edge => edge.to === node.name && edge.input);
      const select = () => {
        selected = selected === node.name ? undefined : node.name;
        draw();
      };
      return [node.name, nodeBox(node, hasParts, select)];
    }),
  );
  picture.append(curves, ...boxes.values());
  picture.addEventListener('pointerover', event => {
    const title = event.target.querySelector('title');
    if (title) status.textContent = title.textContent;
  });
  count.addEventListener('input', draw);
  const legend = `Width: ${graph.quantity}, at most ${number(largestScore)}; dashed: negative.`;
  part.append(
    make('p.soft', `${legend} Select a component to show only its edges.`),
    labelled('Edges ', count),
    scrolling(picture, graph.title),
    status,
  );
  draw();
}
