// The view in which a teacher writes a worksheet.

const editorTexts = t('editor');

// Returns a list of the entries that a teacher can pick; add(line) is called with a command line.
function picker(add) {
  const change = () => {
    if (pick.value !== '') add(pick.value);
    pick.value = '';
  };
  const option = ([text, value]) => make('option', { value }, text);
  const group = (label, choices) => make('optgroup', { label }, choices.map(option));
  const groups = Object.values(taskKinds).map(({ texts, names, label, words }) =>
    group(texts.list, names().map(name => [label(name), lineOf(words(name))])),
  );
  groups.push(group(editorTexts.demonstrationsTitle, editorTexts.demonstrations));
  const pick = make('select', { onchange: change }, option([editorTexts.choose, '']), groups);
  return pick;
}

// Throws an Error if a command line of a worksheet doesn't work in this page. Other commands than
// `train` and `learn` are run, except those that need a run, which students train first.
async function checkCommand(words) {
  const [name] = words;
  if (name === 'sheet') throw new Error(editorTexts.nested);
  if (elsewhere.has(name)) throw new Error(terminalTexts.elsewhere(name));
  if (name === 'learn') return checkTask(words);
  const { out } = await engine.run([name, '--help']);
  if (!out.includes(`usage: tapehead ${name}`)) throw new Error(editorTexts.unknown(name));
  if (name === 'sweep' || words.some(word => word.startsWith('runs/'))) return;
  const { status, err } = await engine.run(name === 'train' ? [...words, '--dry-run'] : words);
  if (status !== 0) throw new Error(messageOf(err, status));
}

const checkedLines = new Map(); // error messages by line, because a check may take a second

async function errorIn(words) {
  const line = lineOf(words);
  if (!checkedLines.has(line)) {
    const message = checkCommand(words).then(() => '', ({ message: text }) => text);
    checkedLines.set(line, await message);
  }
  return checkedLines.get(line);
}

// Returns { commands, error }: the parsed lines, and the error message of the first wrong line.
async function commandsIn(text) {
  const commands = [];
  let error = '';
  for (const [i, line] of text.split('\n').entries())
    try {
      const words = wordsOf(line.replace(/;\s*$/, ''));
      if (words.length === 0) continue;
      commands.push(words);
      const message = await errorIn(words);
      if (message !== '') throw new Error(message);
    } catch (problem) {
      error ||= editorTexts.wrongLine(i + 1, problem.message.replace(/\.$/, ''));
    }
  return { commands, error };
}

async function sheetEditor() {
  const texts = editorTexts;
  const title = make('input.wide', { placeholder: texts.week });
  const exam = make('input', { type: 'checkbox' });
  const lines = make('textarea.formula', {
    id: 'sheet-lines',
    rows: 7,
    placeholder: 'train reverse --seed 3\nlearn 6\nlearn rule softmax',
    ...plainText,
  });
  const status = statusLine();
  const preview = make('ol');
  const address = make('input.wide', { readonly: true });
  let asked = { title: '', exam: false, commands: [] };
  const words = () => wordsOf(sheetLine(asked));
  const copy = linkButton(words);
  const begin = button(texts.open, () => {
    sheet.begin(asked);
    openSheet();
  }, { class: 'main' });
  title.value = sheet.title;
  exam.checked = sheet.exam;
  lines.value = sheet.commands.map(lineOf).join('\n');

  // Checks the lines, and shows the worksheet's link if all are right.
  const reading = new Latest(async () => {
    const { commands, error } = await commandsIn(lines.value);
    status.textContent = error;
    asked = { title: title.value.trim(), exam: exam.checked, commands };
    const isRight = error === '' && commands.length > 0;
    address.value = isRight ? new URL(fragmentOf(words()), location.href).href : '';
    enable(isRight);
    preview.replaceChildren(...commands.map(each => make('li', commandTitle(each))));
  });
  const read = () => {
    enable(false);
    return reading.ask();
  };
  const print = printSection(() => asked);
  const enable = isRight => {
    for (const each of [begin, copy, ...print.buttons]) each.disabled = !isRight;
  };
  for (const each of [title, exam, lines]) each.addEventListener('input', read);
  const pick = picker(line => {
    lines.value = `${lines.value.replace(/\n*$/, '')}\n${line}`.trim();
    read();
  });
  await read();
  return make(
    'article.sheet-view',
    ...[make('h2', exercisesTexts.sheet), make('p', texts.about)],
    make(
      'div.editor',
      controls(labelled(texts.name, title)),
      controls(make('label', exam, texts.exam)),
      controls(labelled(texts.add, pick)),
      make('label', { for: lines.id }, texts.lines),
      ...[lines, status, make('h3', texts.preview), preview],
      controls(labelled(texts.link, address), copy, begin),
      location.protocol === 'file:' && make('p.soft', texts.isLocal),
    ),
    print.root,
    make('p', commandLink(exercisesTexts.grade, () => ['learn', 'grade'])),
  );
}
