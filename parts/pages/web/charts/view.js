// Settings of all charts of a page, which the reader changes: runs, steps and smoothing.

class View {
  smoothing = 0; // weight of earlier values in the moving average, as in TensorBoard
  steps = null; // [first, last] step shown; null: all
  ignoresOutliers = false;
  hidden = new Set(); // numbers of hidden runs

  // Stores the settings, so that a page that reloads itself keeps them.
  save() {
    const { smoothing, steps, ignoresOutliers, hidden } = this;
    remember('view', { smoothing, steps, ignoresOutliers, hidden: [...hidden] });
  }

  // Returns the stored settings of this page, or default settings.
  static restored(ignoresOutliers) {
    const { hidden, ...saved } = remembered('view') ?? {};
    return Object.assign(new View(), { ignoresOutliers, ...saved, hidden: new Set(hidden) });
  }
}

// Returns the range of steps on the axis of all charts, so that they can be compared vertically.
function stepsOf(curves) {
  const ends = curves.flatMap(({ steps }) => [steps[0], steps[steps.length - 1]]);
  const steps = ends.filter(Number.isFinite);
  const first = Math.min(...steps);
  const last = Math.max(...steps);
  return [first < last / 4 ? 0 : first, last];
}

// Makes the charts that the curves name as `chart`, in order of first occurrence.
function chartsOf(curves, axis, view) {
  const found = new Map();
  for (const curve of curves) {
    if (!found.has(curve.chart)) found.set(curve.chart, []);
    found.get(curve.chart).push(curve);
  }
  const ends = stepsOf(curves);
  return [...found].map(
    ([name, some]) => new Chart(name, some[0].unit, some, ends, axis, view),
  );
}

// Returns the bias-corrected exponential moving average of points.
function smoothed(points, weight) {
  let sum = 0;
  let total = 0;
  return points.map(([step, value]) => {
    sum = weight * sum + (1 - weight) * value;
    total = weight * total + (1 - weight);
    return [step, sum / total];
  });
}

// Returns the smallest and largest value to show. If outliers are ignored, excludes the first fifth
// of the steps, and the largest and smallest 2 % of the values.
function rangeOf(points, [first, last], ignoresOutliers) {
  const late = points.filter(([step]) => step >= first + (last - first) / 5);
  const sorted = (ignoresOutliers && late.length >= 5 ? late : points)
    .map(([, value]) => value)
    .sort((a, b) => a - b);
  const cut = ignoresOutliers ? Math.floor(sorted.length / 50) : 0;
  return sorted.length ? [sorted[cut], sorted[sorted.length - 1 - cut]] : null;
}

// Controls above the charts that share a view. `names` and `looks` are the runs' names and line
// styles; `heading` names the options whose values are the runs' names.
class ViewControls {
  constructor(view, charts, { heading = '', names = [], looks = [] } = {}) {
    Object.assign(this, { view, charts, ends: charts[0].all });
    for (const chart of charts) chart.zoom = steps => this.choose({ steps });
    if (view.steps?.[0] >= this.ends[1]) view.steps = null; // restored from another page
    this.smoothing = make('input', {
      ...{ type: 'range', min: 0, max: 0.99, step: 0.01, value: view.smoothing },
      oninput: () => this.choose({ smoothing: Number(this.smoothing.value) }),
    });
    this.weight = make('output');
    this.from = this.stepInput('First step shown');
    this.to = this.stepInput('Last step shown');
    this.all = button('All', () => this.choose({ steps: null }));
    this.outliers = make('input', {
      type: 'checkbox',
      onchange: () => this.choose({ ignoresOutliers: this.outliers.checked }),
    });
    const title =
      'The y axis fits the values after the first fifth of the steps, without the most extreme ones.';
    const bar = make(
      'div.choose.controls',
      make('label', 'Smoothing', this.smoothing, this.weight),
      make('span.steps', 'Steps ', this.from, ' to ', this.to, ' ', this.all),
      make('label', { title }, this.outliers, 'ignore outliers'),
    );
    this.root = make('div.view', bar, names.length > 1 && this.legend(heading, names, looks));
    this.show();
  }

  stepInput(name) {
    const [min, max] = this.ends;
    const choose = () => {
      const ends = [this.from, this.to].map(each => clamp(Number(each.value), min, max));
      this.choose({ steps: ends[0] < ends[1] ? ends : null });
    };
    return make('input', { type: 'number', min, max, 'aria-label': name, onchange: choose });
  }

  // Returns the legend of the runs, for all charts.
  legend(heading, names, looks) {
    const toggle = i => {
      const hidden = new Set(this.view.hidden);
      if (!hidden.delete(i)) hidden.add(i);
      this.choose({ hidden });
    };
    this.toggles = names.map((name, i) => button([swatch(looks[i]), name], () => toggle(i)));
    const all = (text, hidden) =>
      button(text, () => this.choose({ hidden: new Set(hidden) }), { class: 'controls' });
    return make(
      'div.legend',
      { role: 'group', 'aria-label': 'Runs' },
      heading && make('strong', heading),
      ...[this.toggles, all('All', []), all('None', names.keys())],
    );
  }

  choose(change) {
    Object.assign(this.view, change);
    this.view.save();
    this.show();
    this.charts.forEach(chart => chart.draw());
  }

  show() {
    const { smoothing, steps, ignoresOutliers, hidden } = this.view;
    this.smoothing.value = smoothing;
    this.weight.textContent = smoothing ? smoothing.toFixed(2) : 'off';
    [this.from.value, this.to.value] = steps ?? this.ends;
    this.all.disabled = !steps;
    this.outliers.checked = ignoresOutliers;
    this.toggles?.forEach((toggle, i) => toggle.setAttribute('aria-pressed', !hidden.has(i)));
  }
}
