// The view in which a teacher writes a worksheet.

// Returns the entries that a teacher can pick, as [group, [[title, command line]]].
async function pickable() {
  const { exercises, rules } = await course();
  const byHand = exercises.filter(each => each.numbers.length > 0);
  const seeds = [1, 2, 3, 4, 5];
  return [
    [
      'Exercises by hand',
      byHand.map(each => [`${each.exercise}. ${each.title}`, `learn ${each.exercise}`]),
    ],
    ['Backward functions as formulas', rules.map(each => [each.title, `learn rule ${each.rule}`])],
    ['Faults', seeds.map(seed => [`Find the fault, seed ${seed}`, `learn fault --seed ${seed}`])],
    [
      'Demonstrations',
      [
        ['Step by step: a neuron', "explain 'tanh(x*w + b)' x=2 w=-3 b=6.88"],
        ['Step by step: softmax', "explain 'softmax(x)' 'x=[0, 1.1]' 'dy=[1, 0]'"],
        ['Train: reverse a sequence', 'train reverse --seed 3'],
        ['An op and its backward function', 'ops softmax'],
      ],
    ],
  ];
}

async function picker(add) {
  const pick = setOptions(element('select'), ['choose one'], ['']);
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

// Returns { commands, error }: the parsed lines, and the error message of the last invalid line.
function commandsIn(text) {
  const commands = [];
  let error = '';
  for (const [i, line] of text.split('\n').entries())
    try {
      const words = wordsOf(line.replace(/;\s*$/, ''));
      if (words.length > 0) commands.push(words);
    } catch (problem) {
      error = `Line ${i + 1}: ${problem.message}.`;
    }
  return { commands, error };
}

async function sheetEditor() {
  const title = attributed(element('input', undefined, 'wide'), { placeholder: 'Week 3' });
  const lines = attributed(element('textarea', undefined, 'formula'), {
    id: 'sheet-lines',
    rows: '7',
    placeholder: 'train reverse --seed 3\nlearn 6\nlearn rule softmax',
    ...plainText,
  });
  const status = statusLine();
  const preview = element('ol');
  const address = attributed(element('input', undefined, 'wide'), { readonly: '' });
  let asked = { title: '', commands: [] };
  const words = () => wordsOf(sheetLine(asked));
  const copy = linkButton(words);
  const begin = button('Open as a student', () => {
    sheet.begin(asked);
    openSheet();
  });
  begin.classList.add('main');
  title.value = sheet.title;
  lines.value = sheet.commands.map(lineOf).join('\n');

  async function read() {
    const { commands, error } = commandsIn(lines.value);
    status.textContent = error;
    asked = { title: title.value.trim(), commands };
    address.value = new URL(fragmentOf(words()), location.href).href;
    for (const each of [begin, copy]) each.disabled = commands.length === 0;
    const titles = await Promise.all(commands.map(commandTitle));
    preview.replaceChildren(...titles.map(text => element('li', text)));
  }
  for (const each of [title, lines]) each.addEventListener('input', read);
  const pick = await picker(line => {
    lines.value = `${lines.value.replace(/\n*$/, '')}\n${line}`.trim();
    read();
  });
  const form = element('div', undefined, 'editor');
  form.append(
    controls(labelled('Title', title)),
    controls(labelled('Add', pick)),
    attributed(element('label', 'Command lines'), { for: lines.id }),
    ...[lines, status, element('h3', 'Preview'), preview],
    controls(labelled('Link', address), copy, begin),
    ...whereItIs(),
  );
  await read();
  return aroundEditor(form);
}

// Returns a note if the page is a local file, whose link doesn't work on other machines.
function whereItIs() {
  const text =
    'The link starts with this page’s location on your disk. Publish the page where your students ' +
    'can reach it, and write the worksheet there.';
  return location.protocol === 'file:' ? [element('p', text, 'soft')] : [];
}

function aroundEditor(form) {
  const about =
    'A worksheet is a link: a list of tasks for your students in this page, in order. Write one ' +
    'command line per line, as in a terminal but without tapehead, or pick some. Each student ' +
    'opens the link and enters a number, and each number has its own exercises. With --student in ' +
    'a line, all students have the same.';
  const view = element('article', undefined, 'sheet-view');
  const way = element('p');
  way.append(commandLink('Grade submissions', () => ['learn', 'grade']));
  view.append(element('h2', 'A worksheet for your class'), element('p', about), form, way);
  return view;
}
