// Conversion between command lines, their words, and the page's address.

// Splits a line into words, like a shell. Throws an Error for an unclosed quote.
function wordsOf(line) {
  const words = [];
  let word = null;
  for (let i = 0; i < line.length; ++i) {
    const c = line[i];
    if (c === "'" || c === '"') {
      const end = line.indexOf(c, i + 1);
      if (end < 0) throw new Error(t('shell').badQuote(c));
      word = (word ?? '') + line.slice(i + 1, end);
      i = end;
    } else if (c === '\\' && i + 1 < line.length) {
      word = (word ?? '') + line[++i];
    } else if (/\s/.test(c)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? '') + c;
    }
  }
  if (word !== null) words.push(word);
  return words[0] === 'tapehead' ? words.slice(1) : words;
}

const quoted = word =>
  /^[\w@%+=:,./[\]-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

const lineOf = words =>
  words[0] === 'sheet' ? sheetLine(sheetOf(words)) : words.map(quoted).join(' ');

// Parses a worksheet: options, then command lines separated by `;`, as in
// sheet --title 'Week 3' --exam train reverse; learn 6
function sheetOf(words) {
  let rest = words.slice(1);
  const options = { title: '', student: '', exam: false };
  for (;;) {
    if (rest[0] === '--exam') {
      options.exam = true;
      rest = rest.slice(1);
      continue;
    }
    const [, name] = /^--(title|student)(=|$)/.exec(rest[0] ?? '') ?? [];
    if (!name) break;
    options[name] = optionOf(rest.slice(0, 2), name);
    rest = rest.slice(rest[0].includes('=') ? 1 : 2);
  }
  const commands = [[]];
  for (const word of rest) {
    const isLast = word.endsWith(';') && !/\s/.test(word);
    const text = isLast ? word.slice(0, -1) : word;
    if (text !== '') commands[commands.length - 1].push(text);
    if (isLast) commands.push([]);
  }
  return { ...options, commands: commands.filter(command => command.length > 0) };
}

function sheetLine({ title = '', student = '', exam = false, commands }) {
  const options = Object.entries({ title, student }).filter(([, value]) => value !== '');
  const flags = exam ? ['--exam'] : [];
  const named = options.map(([name, value]) => `--${name} ${quoted(value)}`);
  const head = ['sheet', ...named, ...flags].join(' ');
  return commands.length === 0 ? head : `${head} ${commands.map(lineOf).join('; ')}`;
}

// Returns the address fragment for a command line. Spaces become plus signs, which mail programs
// keep in links; plus signs become %2B.
const fragmentOf = words =>
  '#' +
  encodeURIComponent(lineOf(words))
    .replace(/%20/g, '+')
    .replace(/%(2F|3A|2C|40|5B|5D|3D)/g, decodeURIComponent);

const lineOfFragment = fragment =>
  decodeURIComponent(fragment.replace(/^#/, '').replaceAll('+', ' '));

// Returns the value of --name in a command line, or the default `otherwise`.
function optionOf(words, name, otherwise = '') {
  const at = words.findIndex(word => word === `--${name}` || word.startsWith(`--${name}=`));
  if (at < 0) return otherwise;
  return words[at].includes('=') ? words[at].slice(name.length + 3) : (words[at + 1] ?? otherwise);
}

// Returns the words with --name value, or without --name if the value is empty.
function withOption(words, name, value) {
  const at = words.findIndex(word => word === `--${name}` || word.startsWith(`--${name}=`));
  const added = value === '' ? [] : [`--${name}`, value];
  if (at < 0) return [...words, ...added];
  const end = at + (words[at].includes('=') ? 1 : 2);
  return [...words.slice(0, at), ...added, ...words.slice(end)];
}
