// The moments of a scope: each node forward, then the start of the backward pass, then each edge
// backward, and last all numbers, without an edge. A timeline tells what is known at a moment.
class Timeline {
  constructor(scope) {
    Object.assign(this, { scope, trace: scope.trace });
    const { trace, units, edges } = scope;
    const sends = ({ uses }) =>
      uses.some(({ step, input }) =>
        trace.uses[trace.steps[step].inputs[input]].some(
          use => use.step === step && use.input === input,
        ),
      );
    this.moments = units
      .filter(unit => unit.steps.some(step => trace.isOp(step)))
      .map(unit => ({ phase: 'forward', unit }));
    this.start = this.moments.length; // the backward pass begins
    this.moments.push({ phase: 'backward' });
    for (const unit of [...units].reverse())
      for (const edge of edges)
        if (edge.to === unit.id && !unit.isAfter && sends(edge))
          this.moments.push({ phase: 'backward', unit, edge });
    this.end = this.moments.push({ phase: 'backward', isAll: true }) - 1;
    this.forwardAt = new Map();
    this.backwardAt = new Map(); // of edges
    this.moments.forEach(({ phase, unit, edge }, i) => {
      if (phase === 'forward') this.forwardAt.set(unit, i);
      else if (edge) this.backwardAt.set(edge, i);
    });
    for (const edge of edges)
      if (scope.byId.get(edge.to).isAfter && sends(edge)) this.backwardAt.set(edge, this.start);
    this.edgesFrom = new Map();
    for (const edge of edges) {
      if (!this.backwardAt.has(edge)) continue;
      if (!this.edgesFrom.has(edge.source)) this.edgesFrom.set(edge.source, []);
      this.edgesFrom.get(edge.source).push(edge);
    }
  }

  // Returns the moment when a step's value is known; 0 if it is from the start.
  valueMoment(step) {
    return this.forwardAt.get(this.scope.unitOf.get(step)) ?? 0;
  }

  // Returns the moment when a step's gradient is complete.
  gradientMoment(step) {
    const edges = this.edgesFrom.get(step) ?? [];
    const unit = this.scope.unitOf.get(step);
    // A step that only its own box uses is complete when the box sends its gradients.
    if (edges.length === 0 && unit?.isBox) {
      const own = [...this.backwardAt].filter(([edge]) => edge.to === unit.id);
      return own.length > 0 ? Math.min(...own.map(([, at]) => at)) : this.end;
    }
    return Math.max(this.start, ...edges.map(edge => this.backwardAt.get(edge)));
  }

  // Returns the moment in which an op sends a gradient to an input, or else computes its value.
  momentOf(phase, step, input) {
    const isIt = ({ uses }) => uses.some(use => use.step === step && (use.input === input || input < 0));
    const at = this.moments.findIndex(each =>
      phase === 'f' ? each.phase === 'forward' && each.unit.steps.includes(step)
                    : each.edge && isIt(each.edge),
    );
    return at < 0 && phase === 'b' && step === this.trace.last ? this.start : at;
  }
}
