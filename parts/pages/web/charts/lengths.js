// The section with accuracy by example length, for runs or for combinations of a sweep.

// Adds the section and returns its charts. `curves` are { name, look, lengths }; `lengths` is the
// curve by length, or null for a run without one. `bands` says what the bands show.
function lengthsPart(curves, bands) {
  const measured = curves.filter(({ lengths }) => lengths);
  if (!measured.length) return [];
  const charts = chartsOf(
    measured.map(({ name, look, lengths: { quantity, lengths: steps, values, low, high } }) => ({
      ...{ chart: quantity, unit: '', name, look, steps, values },
      ...(low ? { low, high } : {}),
    })),
    measured[0].lengths.option,
  );
  charts[0].root.classList.add('wide');
  const trained = measured.map(({ lengths }) => lengths.trained);
  const [least, most] = [Math.min(...trained), Math.max(...trained)];
  const longest = least === most ? `${most}` : `${least} to ${most}`;
  section('lengths', 'Accuracy by length').append(
    make('p.soft', `Longest length in training: ${longest}. ${bands}`),
    make('div.charts', charts.map(chart => chart.root)),
  );
  return charts;
}
