// Number formatting and axis ticks.

// Formats a number with at most five digits and no trailing zeros.
function number(value) {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return exponential(value, 3);
  if (size >= 1e4) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(5)));
}

const exponential = (value, digits) => value.toExponential(digits).replace(/\.?0+e/, 'e');

// Formats a number briefly for an axis: 20k, 1.5M.
function short(value) {
  const size = Math.abs(value);
  const digits = x => String(Number(x.toPrecision(6)));
  if (size >= 1e15) return value.toExponential(0);
  const units = [
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ];
  for (const [unit, name] of units)
    if (size >= (unit === 1e3 ? 1e4 : unit)) return digits(value / unit) + name;
  return size > 0 && size < 1e-4 ? exponential(value, 2) : digits(value);
}

// Returns axis ticks: multiples of 1, 2 or 5 times a power of ten; at least two, to show the scale.
function ticks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(each => each * power).find(each => each >= rough * 0.999);
  const result = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i)
    result.push(i * step);
  return result.length > 1 || count > 50 ? result : ticks(low, high, 2 * count);
}

// Returns ticks of a logarithmic axis: powers of ten, only some of them if there are many.
function logTicks(low, high, count) {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const between = last - first <= 2 ? [1, 2, 5] : [1];
  const every = Math.ceil((last - first) / count);
  const result = [];
  for (let power = first; power <= last; power += every)
    for (const digit of between) result.push(Number(`${digit}e${power}`));
  const inside = result.filter(each => each >= low * 0.999 && each <= high * 1.001);
  return inside.length > 1 ? inside : ticks(low, high, count).filter(each => each > 0);
}
