// Printable worksheets, and a separate key with the answers, for a list of student numbers.

const printTexts = t('print');

// Returns the numbers in a text such as '17, 18, 20-24'.
function numbersOf(text) {
  const numbers = [];
  for (const part of text.split(/[,\s]+/).filter(Boolean)) {
    const [, from, to = from] = /^([1-9]\d{0,14})(?:[-–](\d{1,15}))?$/.exec(part) ?? [];
    if (!from || Number(to) - Number(from) > 200) throw new Error(printTexts.badNumbers);
    for (let number = Number(from); number <= Number(to); ++number) numbers.push(String(number));
  }
  if (numbers.length === 0 || numbers.length > 200) throw new Error(printTexts.badNumbers);
  return numbers;
}

// Returns a task as text with blanks for the answers.
async function printedTask(words, number) {
  const root = make('section.printed-task');
  const found = taskOf(words);
  const { text, blanks } = taskKinds[found?.kind] ?? {};
  if (!blanks) {
    root.append(make('p', printTexts.atScreen, commandTitle(words)));
    return root;
  }
  const task = await askTask(found, '--student', optionOf(words, 'student', number));
  root.append(text(task), make('p.blanks.mono', blanks(task)));
  for (const each of root.querySelectorAll('section, p:has(> a)')) each.remove();
  return root;
}

async function printedSheet({ title, commands }, number) {
  const [student, name] = [printTexts.student(number), printTexts.name];
  const parts = [make('strong', title || sheetTexts.bar), make('span', student), make('span', name)];
  const root = make('section.printed-sheet', make('p.printed-head', parts));
  for (const words of commands) root.append(await printedTask(words, number));
  const hasFault = commands.some(words => words[1] === 'fault');
  if (hasFault) root.append(...kindList(await kindsOfFaults()).children);
  return root;
}

// Returns the answers to a task as text; empty for a command without answers.
async function answersOf(words, number) {
  const found = taskOf(words);
  if (!found) return '';
  const student = optionOf(words, 'student', number);
  return taskKinds[found.kind].solution(await askTask(found, '--solution', '--student', student));
}

async function printedKey({ title, commands }, numbers) {
  const heading = make('h2', printTexts.keyOf(title || sheetTexts.bar));
  const root = make('section.printed-sheet', heading);
  for (const number of numbers) {
    const list = make('dl');
    for (const words of commands) {
      const answers = await answersOf(words, number);
      if (answers === '') continue;
      list.append(make('dt', commandTitle(words)), make('dd', make('pre', answers)));
    }
    root.append(make('h3', printTexts.student(number)), list);
  }
  return root;
}

// Returns { root, buttons }: the section of the editor that prints `asked()`, a worksheet.
function printSection(asked) {
  const texts = printTexts;
  const status = statusLine();
  const numbers = make('input', { placeholder: texts.example });
  const sheets = make('div.printed-sheets');
  const start = button(texts.print, () => window.print(), { hidden: true });
  const shows = make => () =>
    attempt(status, async () => {
      status.textContent = '';
      sheets.replaceChildren(...(await make(numbersOf(numbers.value))));
      start.hidden = false;
    });
  const forAll = async all => {
    const result = [];
    for (const number of all) result.push(await printedSheet(asked(), number));
    return result;
  };
  const buttons = [
    button(texts.sheets, shows(forAll)),
    button(texts.key, shows(async all => [await printedKey(asked(), all)])),
  ];
  const root = make(
    'section',
    ...[make('h3', texts.title), make('p.soft', texts.about)],
    controls(labelled(texts.numbers, numbers), buttons, start),
    ...[status, sheets],
  );
  return { root, buttons };
}
