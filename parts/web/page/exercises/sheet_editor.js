// The view in which a teacher writes a worksheet.

const editorTexts = t('editor');

// Returns the entries that a teacher can pick, as [group, [[title, command line]]].
async function pickable() {
  const { exercises, rules } = await course();
  const { groups, fault, demonstrations } = editorTexts;
  return [
    exercises.map(each => [`${each.exercise}. ${each.title}`, `learn ${each.exercise}`]),
    rules.map(each => [each.title, `learn rule ${each.rule}`]),
    ['1', '2', '3', '4', '5'].map(seed => [fault(seed), `learn fault --seed ${seed}`]),
    demonstrations,
  ].map((choices, i) => [groups[i], choices]);
}

async function picker(add) {
  const pick = setOptions(element('select'), [editorTexts.choose], ['']);
  for (const [group, choices] of await pickable()) {
    const root = attributed(element('optgroup'), { label: group });
    for (const [text, value] of choices)
      root.append(Object.assign(element('option', text), { value }));
    pick.append(root);
  }
  pick.addEventListener('change', () => {
    if (pick.value !== '') add(pick.value);
    pick.value = '';
  });
  return pick;
}

// Throws an Error if a `learn` command isn't a task in this page.
async function checkLearn(words) {
  const [, what, name] = positional(words);
  const { exercises, rules, all } = await course();
  if (what === 'fault') {
    const seed = optionOf(words, 'seed', '0');
    if (!/^\d{1,15}$/.test(seed)) throw new Error(editorTexts.badSeed(seed));
  } else if (what === 'rule') {
    const names = rules.map(each => each.rule);
    if (!names.includes(name)) throw new Error(editorTexts.noRule(name ?? '', names.join(', ')));
  } else if (what !== undefined && !(await exerciseCalled(what))) {
    const isCode = all.some(each => [String(each.exercise), each.name].includes(what));
    throw new Error(isCode ? editorTexts.codeOnly(what) : editorTexts.noExercise(what, all.length));
  }
}

// Throws an Error if a command line of a worksheet doesn't work in this page. Other commands than
// `train` and `learn` are run, except those that need a run, which students train first.
async function checkCommand(words) {
  const [name] = words;
  if (name === 'sheet') throw new Error(editorTexts.nested);
  if (elsewhere[name]) throw new Error(elsewhereText(name));
  if (name === 'learn') return checkLearn(words);
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
  const title = attributed(element('input', undefined, 'wide'), { placeholder: texts.week });
  const exam = attributed(element('input'), { type: 'checkbox' });
  const lines = attributed(element('textarea', undefined, 'formula'), {
    id: 'sheet-lines',
    rows: '7',
    placeholder: 'train reverse --seed 3\nlearn 6\nlearn rule softmax',
    ...plainText,
  });
  const status = statusLine();
  const preview = element('ol');
  const address = attributed(element('input', undefined, 'wide'), { readonly: '' });
  let asked = { title: '', exam: false, commands: [] };
  const words = () => wordsOf(sheetLine(asked));
  const copy = linkButton(words);
  const begin = button(texts.open, () => {
    sheet.begin(asked);
    openSheet();
  });
  begin.classList.add('main');
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
    const titles = await Promise.all(commands.map(commandTitle));
    preview.replaceChildren(...titles.map(text => element('li', text)));
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
  const pick = await picker(line => {
    lines.value = `${lines.value.replace(/\n*$/, '')}\n${line}`.trim();
    read();
  });
  const examBox = labelled(texts.exam, exam);
  examBox.prepend(exam);
  const form = element('div', undefined, 'editor');
  form.append(
    controls(labelled(texts.name, title)),
    controls(examBox),
    controls(labelled(texts.add, pick)),
    attributed(element('label', texts.lines), { for: lines.id }),
    ...[lines, status, element('h3', texts.preview), preview],
    controls(labelled(texts.link, address), copy, begin),
    ...(location.protocol === 'file:' ? [element('p', texts.isLocal, 'soft')] : []),
  );
  await read();
  const view = element('article', undefined, 'sheet-view');
  const way = element('p');
  way.append(commandLink(texts.grade, () => ['learn', 'grade']));
  view.append(element('h2', texts.title), element('p', texts.about), form, print.root, way);
  return view;
}
