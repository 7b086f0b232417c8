// Reads what a reader types as an expression, and finds values for names without one.

// Splits `y = tanh(a*b) a=2 b=[1, 2]` into the words of `explain`: the expression and NAME=VALUE.
// Quotes and the command's name aren't needed.
function expressionWords(text) {
  const line = text
    .trim()
    .replace(/^(tapehead\s+)?explain\s+/, '')
    .replace(/[×·⋅]/g, '*')
    .replace(/÷/g, '/')
    .replace(/−/g, '-')
    .replace(/²/g, '^2')
    .replace(/³/g, '^3')
    .replace(/(^|[^\w.])(\d+(?:\.\d+)?)(?!e[-+]?\d)(?=[A-Za-z(])/gi, '$1$2*') // 2x
    .replace(/['"‘’“”]/g, '');
  const values = [];
  const rest = line.replace(
    /(^|[\s,;])([A-Za-z_]\w*)\s*=\s*(\[[^\]]*\]|randn\([^)]*\)|[-+]?[\d.]+(?:e[-+]?\d+)?)(?=$|[\s,;])/gi,
    (whole, before, name, value, at) => {
      if (isInside(line, at)) return whole; // an op's option, such as axis=0
      values.push(`${name}=${value}`);
      return before;
    },
  );
  const expression = rest.trim().replace(/^[A-Za-z_]\w*\s*=\s*/, '').replace(/[\s,;]+$/, '');
  return [expression, ...values];
}

// Returns whether a position is inside parentheses.
function isInside(text, at) {
  const before = text.slice(0, at);
  return before.split('(').length > before.split(')').length;
}

// Returns the texts of values by name, from words such as a=2.
const valuesByName = values =>
  new Map(values.map(word => [word.split('=')[0], word.slice(word.indexOf('=') + 1)]));
const scalars = ['1', '-0.5', '0.5', '2', '-1', '1.5'];
// Values to try for names without one, if numbers don't fit.
const shapes = ['', '[1, -0.5, 2]', '[1, 2; -1, 0.5]'];

// Returns { words, data } for an expression and the values of some of its names; `kept` has values
// from before. ask(words) returns the data, or throws the command's error.
async function completed([expression, ...values], kept, ask) {
  const given = valuesByName(values);
  let failed;
  for (const shape of shapes) {
    const found = new Map(given);
    for (let tries = 0; tries < 20; ++tries) {
      const words = ['explain', expression, ...[...found].map(([name, text]) => `${name}=${text}`)];
      try {
        return { words, data: await ask(words) };
      } catch (error) {
        failed ??= error;
        const [, name] = /: (\w+) has no value; give it one/.exec(error.message) ?? [];
        if (!name) {
          if (failed.message.includes('has no value')) failed = error;
          break;
        }
        const scalar = scalars[found.size % scalars.length];
        const isWhole = /^(targets?|ids|index|indices)$/.test(name);
        found.set(name, isWhole ? '1' : shape || (kept.get(name) ?? scalar));
      }
    }
    if (found.size === given.size) break;
  }
  throw failed;
}
