// Places the nodes of a graph in layers, and its edges as curves: from left to right, or from top to
// bottom. `nodes` have { id, width, height } and come in topological order, and `edges` have
// { from, to }, the ids of nodes.

// Returns the layer of each node: the number of edges on the longest path to it. A node without
// inputs is in the layer before its first use.
function layersOf(nodes, edges) {
  const layer = new Map(nodes.map(({ id }) => [id, 0]));
  const into = new Map(nodes.map(({ id }) => [id, []]));
  for (const { from, to } of edges) into.get(to).push(from);
  for (const { id } of nodes)
    for (const from of into.get(id)) layer.set(id, Math.max(layer.get(id), layer.get(from) + 1));
  for (const { id } of nodes) {
    const uses = edges.filter(({ from }) => from === id).map(({ to }) => layer.get(to));
    if (into.get(id).length === 0 && uses.length > 0) layer.set(id, Math.min(...uses) - 1);
  }
  return layer;
}

// Splits a layer that is wider than `space` in two; returns whether there was one. Nodes without
// inputs stay in the first, so that their edges don't cross other nodes.
function splitWidest(layers, space, gap) {
  const widthOf = row => row.reduce((sum, { across }) => sum + across + gap, -gap);
  const isNode = place => !place.isPoint;
  const at = layers.findIndex(row => row.filter(isNode).length > 1 && widthOf(row) > space);
  if (at < 0) return false;
  const nodes = layers[at].filter(isNode);
  const isLeaf = place => place.inputs.length === 0;
  const sorted = [...nodes.filter(isLeaf), ...nodes.filter(place => !isLeaf(place))];
  let count = sorted.length - 1;
  while (count > 1 && widthOf(sorted.slice(0, count)) > space) --count;
  layers.splice(at, 1, sorted.slice(0, count), sorted.slice(count));
  return true;
}

// A place is a node, or a point where an edge passes a layer. `along` and `across` are its sizes in
// and perpendicular to the direction of the graph; `at` is the middle of its extent across.
class Layout {
  constructor(nodes, edges, { space, isVertical, between }) {
    Object.assign(this, { nodes, edges, space, isVertical });
    this.gap = isVertical ? 12 : 22;
    this.between = between; // space between layers, for the labels of edges
    this.place();
    do this.connect();
    while (isVertical && splitWidest(this.layers, space, this.gap));
    this.level();
    this.align();
  }

  place() {
    const layer = layersOf(this.nodes, this.edges);
    this.places = new Map();
    const layers = [];
    this.nodes.forEach(({ id, width, height }) => {
      const [along, across] = this.isVertical ? [height, width] : [width, height];
      const inputs = this.edges.filter(({ to }) => to === id).map(({ from }) => from);
      const row = (layers[layer.get(id)] ??= []);
      const place = { id, along, across, inputs, near: [], at: 60 * row.length };
      this.places.set(id, place);
      row.push(place);
    });
    this.layers = layers.filter(Boolean);
  }

  // Adds a point to each layer that an edge passes.
  connect() {
    this.layers = this.layers.map(row => row.filter(place => !place.isPoint));
    this.layers.forEach((row, at) =>
      row.forEach(place => Object.assign(place, { layer: at, near: [] })),
    );
    for (const edge of this.edges) {
      edge.through = [this.places.get(edge.from)];
      const to = this.places.get(edge.to);
      for (let at = edge.through[0].layer + 1; at < to.layer; ++at) {
        const point = { along: 0, across: 8, near: [], at: to.at, layer: at, isPoint: true };
        this.layers[at].push(point);
        edge.through.push(point);
      }
      edge.through.push(to);
      edge.through.slice(1).forEach((place, i) => {
        place.near.push(edge.through[i]);
        edge.through[i].near.push(place);
      });
    }
  }

  // Moves each place towards the mean of its neighbours, without overlaps in a layer.
  level() {
    for (let sweep = 0; sweep < 48; ++sweep)
      for (const row of this.layers) {
        for (const place of row) {
          const sum = place.near.reduce((all, { at }) => all + at, 0);
          place.wanted = place.near.length > 0 ? sum / place.near.length : place.at;
        }
        row.sort((a, b) => a.wanted - b.wanted);
        let end = -Infinity;
        let moved = 0;
        for (const place of row) {
          place.at = Math.max(place.wanted, end + place.across / 2);
          end = place.at + place.across / 2 + this.gap;
          moved += (place.at - place.wanted) / row.length;
        }
        for (const place of row) place.at -= moved;
      }
  }

  // Moves everything into the space, and sets the positions of the layers.
  align() {
    const all = this.layers.flat();
    const low = Math.min(...all.map(({ at, across }) => at - across / 2));
    for (const place of all) place.at -= low;
    const high = Math.max(...all.map(({ at, across }) => at + across / 2));
    if (this.isVertical) this.fit(high);
    let start = 0;
    for (const row of this.layers) {
      const along = Math.max(...row.map(place => place.along));
      for (const place of row) {
        place.start = start + (this.isVertical ? along - place.along : (along - place.along) / 2);
        if (place.isPoint) [place.start, place.along] = [start, along];
      }
      start += along + this.between;
    }
    this.length = start - this.between;
    this.breadth = Math.max(...all.map(({ at, across }) => at + across / 2));
  }

  // Moves the places of rows that leave the space back into it, or centres a narrow graph.
  fit(high) {
    if (high <= this.space) {
      for (const place of this.layers.flat()) place.at += (this.space - high) / 2;
      return;
    }
    for (const row of this.layers) {
      let end = 0;
      for (const place of row) {
        place.at = Math.max(place.at, end + place.across / 2);
        end = place.at + place.across / 2 + this.gap;
      }
      end = this.space;
      for (const place of [...row].reverse()) {
        const least = place.across / 2;
        place.at = Math.max(least, Math.min(place.at, end - place.across / 2));
        end = place.at - place.across / 2 - this.gap;
      }
    }
  }

  get width() {
    return this.isVertical ? Math.max(this.space, this.breadth) : this.length;
  }
  get height() {
    return this.isVertical ? this.length : this.breadth;
  }

  // Returns the left and top of a node.
  cornerOf(id) {
    const { start, at, across } = this.places.get(id);
    return this.isVertical ? [at - across / 2, start] : [start, at - across / 2];
  }

  // Edges that begin or end at the same node are spread over its side.
  portsOf(edge, end) {
    const key = end === 'to' ? 'to' : 'from';
    const other = ({ through }) => (end === 'to' ? through[through.length - 2] : through[1]).at;
    const beside = this.edges.filter(each => each[key] === edge[key]);
    beside.sort((a, b) => other(a) - other(b) || this.edges.indexOf(a) - this.edges.indexOf(b));
    const { at, across } = this.places.get(edge[key]);
    const step = Math.min(28, (across - 12) / beside.length);
    return at + (beside.indexOf(edge) - (beside.length - 1) / 2) * step;
  }

  // Returns the path of an edge for SVG, and pointAt(t), a point of its last curve, for its label,
  // and the curve's span across.
  curveOf(edge) {
    const last = edge.through.length - 1;
    const point = (along, across) => (this.isVertical ? [across, along] : [along, across]);
    let path = '';
    let pointAt;
    edge.through.forEach((place, i) => {
      if (i === last) return;
      const next = edge.through[i + 1];
      const begin = [place.start + place.along, i === 0 ? this.portsOf(edge, 'from') : place.at];
      const end = [next.start, i + 1 === last ? this.portsOf(edge, 'to') : next.at];
      const half = (begin[0] + end[0]) / 2;
      const [a, b, c, d] = [begin, [half, begin[1]], [half, end[1]], end].map(p => point(...p));
      path += `${i === 0 ? 'M' : 'L'}${a}C${b} ${c} ${d}`;
      // Both control points are halfway along, so the curve is symmetric.
      pointAt = t => {
        const across = t * t * (3 - 2 * t);
        const along = (1 - t) ** 3 * begin[0] + 3 * t * (1 - t) * half + t ** 3 * end[0];
        return point(along, begin[1] + (end[1] - begin[1]) * across);
      };
    });
    const [from, to] = edge.through.slice(-2);
    return { path, pointAt, span: Math.abs(from.at - to.at) };
  }
}
