// What the graph shows of a trace: the steps of a module as nodes, and its submodules as closed
// boxes. Ops that only move numbers are folded into a box, too. A reader who opens a box sees its
// steps, with the steps outside that they use.

// Splits a module's path: `blocks.0.attention.qkv` -> blocks.0, attention, qkv.
const partsOf = module => (module ? module.replace(/\.(\d+)/g, '\u0000$1').split('.') : []).map(
  part => part.replaceAll('\u0000', '.'),
);

const movingOps = new Set([
  ...['reshape', 'permute', 'transpose', 'slice', 'concat', 'stack', 'split', 'broadcast_to', 'pad'],
  'cast',
]);

// Ops between the scores of an attention head and its softmax, and their roles.
const scoreOps = { mul: 'scaled', div: 'scaled', masked_fill: 'masked', where: 'masked', add: 'masked' };

// Names the tensors of attention heads: Q, K, scores, weights, V and output, by step.
function rolesOf(trace) {
  const { steps } = trace;
  const roles = new Map();
  const isMoving = step => step >= 0 && movingOps.has(steps[step].op);
  // Names a step, and what it moves, up to the step that computed it.
  const name = (step, role) => {
    for (let at = step; at >= 0; at = steps[at].inputs[0]) {
      const isNamed = trace.isOp(at) || at === step;
      if (isNamed && !roles.has(at) && !/^[qkv]$/i.test(steps[at].name)) roles.set(at, role);
      if (!isMoving(at) || isMerging(at)) return;
    }
  };
  const isMerging = step => steps[step].op === 'concat' || steps[step].op === 'slice';
  steps.forEach(({ op, inputs }, step) => {
    if (op === 'attention') ['Q', 'K', 'V'].forEach((role, i) => name(inputs[i], role));
    if (op !== 'softmax') return;
    const sums = trace.uses[step].find(use => steps[use.step].op === 'matmul' && use.input === 0);
    let scores = inputs[0];
    const between = [];
    while (scores >= 0 && steps[scores].op in scoreOps) {
      between.push(scores);
      const isUsed = input => trace.uses[input]?.some(use => use.step === between[between.length - 1]);
      scores = steps[scores].inputs.find(isUsed) ?? -1;
    }
    if (!sums || scores < 0 || steps[scores].op !== 'matmul') return;
    for (const at of between) roles.set(at, scoreOps[steps[at].op]);
    roles.set(step, 'weights');
    roles.set(scores, 'scores');
    roles.set(sums.step, 'output');
    name(steps[scores].inputs[0], 'Q');
    const key = steps[scores].inputs[1];
    const isTurned = ['transpose', 'permute'].includes(steps[key]?.op);
    if (isTurned) roles.set(key, 'Kᵀ');
    name(isTurned ? steps[key].inputs[0] : key, 'K');
    name(steps[sums.step].inputs[1], 'V');
  });
  return roles;
}

class Scope {
  // `steps` are the steps inside, `name` the names of the boxes from the outermost, and `depth` the
  // number of parts of the module's path. `isFolding` is false in a box of ops that move numbers.
  constructor(trace, steps, names = [], depth = 0, isFolding = true) {
    Object.assign(this, { trace, steps, names, depth, isFolding });
    this.inside = new Set(steps);
    this.units = [];
    this.unitOf = new Map();
    this.group();
    this.connect();
  }

  static whole(trace) {
    return new Scope(trace, [...trace.steps.keys()]);
  }

  // Makes a unit of each step, of consecutive steps in the same submodule, and of chains of ops
  // that only move numbers.
  group() {
    const { trace } = this;
    for (const step of this.steps) {
      const part = partsOf(trace.steps[step].module)[this.depth];
      const unit = this.units[this.units.length - 1];
      if (part !== undefined) {
        if (unit?.part === part) this.add(unit, step);
        else this.begin({ part, name: part, depth: this.depth + 1, isBox: true }, step);
      } else if (this.continues(unit, step)) {
        this.add(unit, step);
        Object.assign(unit, { isBox: true, depth: this.depth, isMoving: true });
      } else {
        this.begin({ step }, step);
      }
    }
    for (const unit of this.units)
      if (unit.isMoving) {
        unit.name = trace.roles.get(unit.steps[unit.steps.length - 1]);
        unit.name ??= unit.steps.map(step => trace.steps[step].op).join(', ');
      }
  }

  // Returns whether a step only moves the numbers of the unit before it.
  continues(unit, step) {
    const { steps, uses } = this.trace;
    if (!this.isFolding || !unit || unit.part || !movingOps.has(steps[step].op)) return false;
    const before = unit.steps[unit.steps.length - 1];
    const isOnly = uses[before].every(use => use.step === step);
    if (this.trace.roles.get(step) === 'Kᵀ') return false;
    return movingOps.has(steps[before].op) && steps[step].inputs[0] === before && isOnly;
  }

  begin(unit, step) {
    this.units.push({ ...unit, id: `n${step}`, steps: [] });
    this.add(this.units[this.units.length - 1], step);
  }
  add(unit, step) {
    unit.steps.push(step);
    this.unitOf.set(step, unit);
  }

  // Makes an edge for each value that a unit uses: with the uses of the value in the unit.
  connect() {
    const { steps } = this.trace;
    this.edges = [];
    const edges = new Map();
    const outside = [];
    const connect = (fromUnit, toUnit, source, use) => {
      const separate = toUnit.step === undefined ? '' : use.input;
      const key = `${fromUnit.id} ${source} ${toUnit.id} ${separate}`;
      if (!edges.has(key)) {
        edges.set(key, { key, from: fromUnit.id, to: toUnit.id, source, uses: [] });
        this.edges.push(edges.get(key));
      }
      edges.get(key).uses.push(use);
    };
    const ghost = (id, step, isAfter) => {
      let unit = outside.find(each => each.id === id);
      if (!unit) outside.push((unit = { id, step, isOutside: true, isAfter, steps: [] }));
      return unit;
    };
    steps.forEach(({ inputs }, step) =>
      inputs.forEach((source, input) => {
        if (source < 0) return;
        const [from, to] = [this.unitOf.get(source), this.unitOf.get(step)];
        if (from === to) return;
        if (from && to) connect(from, to, source, { step, input });
        else if (to) connect(ghost(`b${source}`, source, false), to, source, { step, input });
        else connect(from, ghost(`a${source}`, source, true), source, { step, input });
      }),
    );
    this.units.unshift(...outside.filter(({ isAfter }) => !isAfter));
    this.units.push(...outside.filter(({ isAfter }) => isAfter));
    this.byId = new Map(this.units.map(unit => [unit.id, unit]));
  }

  // Returns the scope inside a box.
  open(unit) {
    const names = [...this.names, unit.name];
    return new Scope(this.trace, unit.steps, names, unit.depth, !unit.isMoving);
  }

  // Returns the scope in which a step is a node of its own, from the whole trace.
  static around(trace, step) {
    let scope = Scope.whole(trace);
    for (let unit = scope.unitOf.get(step); unit.isBox; unit = scope.unitOf.get(step))
      scope = scope.open(unit);
    return scope;
  }
}
