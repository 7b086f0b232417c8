// Tests the Exercises tab in a browser, as a student and as a teacher.
//   node exercises.mjs PAGE.html [chromium|firefox]
import { readFileSync } from 'node:fs';
import { browser, check, checkTab, load, until, value } from './tab.mjs';

const said = text => JSON.stringify(text);
const panel = `$('panel-exercises')`;
const textOf = selector => value(`${panel}.querySelector(${said(selector)})?.textContent ?? ''`);
const textsOf = selector =>
  `[...${panel}.querySelectorAll(${said(selector)})].map(each => each.textContent)`;
const untilText = (selector, pattern) =>
  until(`${pattern}.test(${textsOf(selector)}.join(' | '))`, 30);
const titled = pattern => untilText('h2', pattern);
const press = text =>
  value(`(() => {
    const isSeen = each => each.getClientRects().length > 0 && !each.disabled;
    const found = [...document.querySelectorAll('button, a')].find(
      each => each.textContent.startsWith(${said(text)}) && isSeen(each),
    );
    if (!found) throw new Error('no button or link with the text ' + ${said(text)});
    found.focus();
    found.click();
  })()`);
const fill = (selector, text) =>
  value(`(() => {
    const field = ${panel}.querySelector(${said(selector)});
    field.value = ${said(text)};
    for (const each of ['input', 'change']) field.dispatchEvent(new Event(each, { bubbles: true }));
  })()`);
const status = '.answer [role=status]';
// There is no default student number: a task asks for it.
async function asksForTheNumber() {
  await load('#learn+6');
  await titled('/^Your student number$/');
  await fill('article input[type=number]', '0');
  await press('Start');
  await untilText('article [role=status]', '/must be 1 or more, got 0/');
  await fill('article input[type=number]', '17');
  await press('Start');
  await titled('/^6. Softmax/');
  await load('#learn+14');
  await untilText('[role=status]', '/exercise 14 is a program in C../');
}

async function list() {
  await load('#learn+--student+17');
  await titled('/^Exercises$/');
  const lists = `[...${panel}.querySelectorAll('.parts ul')]`;
  const counts = await value(`${lists}.map(each => each.children.length)`);
  check(String(counts) === '14,10,5,12,4', `the list has ${counts} entries`);
}

async function exerciseByHand() {
  await press('6. Softmax');
  await titled('/^6. Softmax/');
  await untilText('.text', '/log\\(0.5\\) and log\\(1\\.?0?\\)/');
  const text = await textOf('article');
  check(!/exercise\.cpp|todo|\.md|--into/.test(text), `the page has instructions for C++: ${text}`);
  check(/Reference: softmax/.test(text), 'the link to the op is missing');
  await fill('#softmax-17-y0', '1/3');
  await fill('#softmax-17-y1', 'abc');
  await press('Check');
  await untilText(status, '/1 of 4 correct/');
  await untilText('.number', '/y0✓ correct . y1✗ abc is wrong; expected a number/');
  check((await value(`$('softmax-17-y1').value`)) === 'abc', 'the typed text is lost');
  await fill('#softmax-17-y1', '0.7');
  await press('Check');
  await untilText(status, '/1 of 4 correct. Attempt 2/');
  await untilText('.number', '/y0✓ correct . y1✗ 0.7 is wrong.* . dx0to do/');
  // Numbers that follow from a wrong one count.
  await fill('#softmax-17-y0', '0.25');
  await fill('#softmax-17-y1', '0.75');
  await press('Check');
  await untilText(status, '/1 of 4 correct. Attempt 3/');
  await untilText('.number', '/y0✗ 0.25 is wrong.*y1✓ follows from your earlier mistake/');
  await fill('#softmax-17-y0', '1/3');
  check(!/0\.66/.test(await textOf('.answer')), 'the answer is shown without asking');
  await press('Hint');
  await untilText('.hints', '/Hint 1 of 2: exp/');
  await press('Show the answer');
  await press('Yes, show');
  await untilText('.number', '/should be 0.666667/');
  const right = { y1: '2/3', dx0: '0,18', dx1: '−0.18' };
  for (const field in right) await fill(`#softmax-17-${field}`, right[field]);
  await press('Check');
  await untilText(status, '/4 of 4 correct/');
  await press('The backward function as a formula');
}

async function rule() {
  await titled('/^The backward function of softmax/');
  const links = await value(`[...${panel}.querySelectorAll('article a')].map(each => each.hash)`);
  check(!links.some(link => /explain|ops/.test(link)), `a link shows the answer: ${links}`);
  for (const form of ['dx = y*(dy - sum(dy*y))', 'dx = y(dy - sum(dy y))']) {
    await fill('.formula', form);
    await press('Check');
    await untilText(status, '/1 of 1 correct/');
    await fill('.formula', 'dx = dy');
    await press('Check');
    await untilText(status, '/0 of 1 correct/');
  }
  await fill('.formula', 'dx = y * (dy - dy * y)');
  await press('Check');
  await untilText('.part', "/dx ✗ wrong.*dx\\[0, 0\\] is -0.229637.*isn't summed over the row/");
  check(!/0\.2845/.test(await textOf('.answer')), 'the correct element is shown without asking');
  await fill('.formula', 'dx = y * (dy - q)');
  await press('Check');
  await untilText(status, "/unknown name 'q'/");
  await press('Hint');
  await untilText('.hints', '/Hint 1 of 3/');
  await fill('.formula', 's = sum(dy * y, axis=-1, keep)\ndx = y * (dy - s)');
  await press('Check');
  await untilText(status, '/1 of 1 correct/');
  await press('Show the answer');
  await untilText('.confirm .note', '/Your submission will record it/');
  await press('No');
  await press('All exercises');
  await titled('/^Exercises$/');
  await untilText('.parts', '/Softmax ✓ solved.*Softmax ✓ solved/');
}

const choose = (line, kind) =>
  value(`(() => {
    const selects = ${panel}.querySelectorAll('.answer select');
    for (const [i, value] of ${said([line, kind])}.entries()) {
      selects[i].value = value;
      selects[i].dispatchEvent(new Event('change'));
    }
  })()`);

// Returns the answer to a fault as [line, kind], from the command.
const answerTo = seed =>
  value(`engine
    .json(['learn', 'fault', '--seed', '${seed}', ...learner.whose(), '--solution'])
    .then(({ line, kind }) => [String(line), kind])`);

async function fault() {
  await titled('/seed 9/');
  await press('Show as a graph');
  await until(`${panel}.querySelectorAll('.shown .node').length > 5`, 20);
  const [line, kind] = await answerTo(9);
  const other = kind === 'two' ? 'sign' : 'two';
  await choose(line === '0' ? '1' : '0', kind);
  await press('Check');
  await untilText(status, '/not this line. Attempt 1/');
  await choose(line, other);
  await press('Check');
  await untilText(status, '/The line is correct, but the kind isn’t. Attempt 2/');
  await choose(line, kind);
  await press('Check');
  await untilText(status, `/Correct: line ${line}, ${kind}. Attempt 3/`);
  await untilText('.answer', '/1 of 1 tried/');
  await press('Show the answer');
  await press('Yes, show');
  await untilText(status, `/Line ${line}, ${kind}. From the bottom/`);
  await press('Find the fault, seed 10');
  await titled('/seed 10/');
}

// Answers a puzzle wrongly, then rightly, and looks at its model.
async function puzzle() {
  await load('#learn+puzzle+5+--student+17');
  await titled('/^Puzzle 5: find the program/');
  await untilText('.text', '/reads bos and 1 to 6 of the tokens/');
  const words = `['learn', 'puzzle', '5', ...learner.whose(), '--solution']`;
  const right = await value(`engine.json(${words}).then(({ solution }) => solution)`);
  const answer = async answers => {
    for (const name in answers) await fill(`#puzzle-5-17-${name}`, answers[name]);
    await press('Check');
  };
  await press('Check');
  await untilText(status, '/Answer at least one question/');
  await answer({ role: right.role === 'a' ? 'b' : 'a', edge: 'embedding > head 0.0 key' });
  await untilText(status, '/0 of 3 correct. Attempt 1/');
  await untilText('.question', '/is wrong; try inputs.*to do.*is wrong; this edge carries nothing/');
  check(!(await textOf('.answer')).includes(right.edge), 'the edge is shown without asking');
  await answer({ edge: 'head 0.0' });
  await untilText(status, "/no head has an edge 'head 0.0'/");
  await answer(right);
  await untilText(status, '/3 of 3 correct/');
  await press('Write the model');
  await untilText('.text', '/The model is in runs.puzzle-5-17/');
  const files = await value(`engine.list('runs/puzzle-5-17')`);
  check(files.includes('config.toml') && !files.includes('circuit.json'), `the run has ${files}`);
  await press('inspect ablate runs/puzzle-5-17');
  const printed = `document.querySelector('#panel-terminal .printed').textContent`;
  await until(`/exact match 100.00 %/.test(${printed})`, 60);
  await load('#learn');
  await untilText('.parts', '/Puzzle 5 ✓ solved/');
}

const recorded = `engine.text('hand-in-17.jsonl')`;
let handedIn = ''; // text of the student's file of answers

async function handIn() {
  await press('All exercises');
  // A right answer stays right, and a solution shown later doesn't matter.
  await untilText('.hand-in .rows', '/fault 92 of 23$/');
  await untilText('.hand-in .rows', '/softmax, by hand4 of 441shown/');
  handedIn = await value(recorded);
  await value(`(save = (name, bytes) => (window.saved = { name, size: bytes.length }), 0)`);
  await press('Download my answers');
  await until('window.saved', 10);
  const { name: file, size } = await value('window.saved');
  check(file === 'hand-in-17.jsonl' && size === handedIn.length, `${file} has ${size} bytes`);
}

// Answers and typed text survive a reload.
async function reload() {
  await load('#learn+7');
  await titled('/^7. Cross-entropy/');
  await fill('#cross-entropy-17-p0', '0.25');
  await load('#learn+7');
  await titled('/^7. Cross-entropy/');
  await until(`$('cross-entropy-17-p0').value === '0.25'`, 10);
  await press('To submit: 3 tasks');
  await untilText('.hand-in .rows', '/rule softmax1 of 1/');
}

// In an exam, answers are saved without feedback, hints or solutions.
async function exam() {
  await load('#sheet+--title+Exam+--exam+learn+6;+learn+fault+--seed+2');
  await untilText('.sheet-view', '/This is an exam/');
  await fill('input[type=number]', '31');
  await until(`learner.number === '31'`, 10);
  await press('Exercise 6: Softmax');
  await titled('/^6. Softmax/');
  await until(`getComputedStyle($('tabs')).display === 'none'`, 5);
  const buttons = await value(textsOf('.answer button'));
  check(String(buttons) === 'Save answer', `an exam has the buttons ${buttons}`);
  await fill('#softmax-31-y0', '5');
  await press('Save answer');
  await untilText(status, '/^Saved, 1 time so far/');
  check(!/wrong|correct|right/.test(await textOf('.answer')), 'an exam gives feedback');
  await load('#sheet+--title+Exam+--exam+learn+6;+learn+fault+--seed+2');
  await untilText('.items', '/Softmax saved/');
  await untilText('.hand-in .rows', '/softmax, by hand1/');
  const line = JSON.parse((await value(`engine.text('hand-in-31.jsonl')`)).split('\n')[0]);
  check(line.exam === true && line.passed === undefined, 'the record has the result');
  await press('End the exam');
  await press('Yes, end');
  await titled('/^Exercises$/');
  await fill('#panel-exercises > .choose input[type=number]', '17');
}

// Opens a worksheet, does its tasks and checks their marks; then writes one.
async function sheet() {
  const items = 'ops softmax; learn fault --seed 3; learn 6; learn rule softmax; ops relu';
  const line = `sheet --title 'Week 3' ${items}`;
  await load('#' + encodeURIComponent(line).replace(/%20/g, '+'));
  await titled('/Week 3/');
  await fill('input[type=number]', '17');
  await untilText('.items', '/opsoftmax|ops softmax/');
  await press('Exercise 6: Softmax');
  await titled('/^6. Softmax/');
  const hash = await value('location.hash');
  check(hash === '#learn+6+--student+17', `the address is ${hash}, without the number`);
  await until(`/Week 3: 3 of 5/.test(document.querySelector('.sheet-bar').textContent)`, 10);
  await press('Next');
  await titled('/^The backward function of softmax/');
  await press('Next');
  await until(`/relu/.test(document.querySelector('#panel-terminal .printed').textContent)`, 30);
  await press('Back to the worksheet');
  await untilText('.items', '/ops relu ✓ opened/');
  await press('For teachers: edit this worksheet');
  await titled('/A worksheet for your class/');
  for (const [line, message] of [
    ['train nonsense', /unknown task 'nonsense'/],
    ['learn 99', /there is no exercise '99'; expected 1 to \d+/],
    ['learn rule x', /there is no rule 'x'; expected one of mul/],
    ['learn 14', /a program in C\+\+/],
    ['nonsense', /there is no command 'nonsense'/],
    ["explain 'x*' x=2", /expected a number/],
  ]) {
    await fill('.formula', `learn 6\n${line}`);
    await untilText('.sheet-view [role=status]', `/Line 2: .*${message.source}/`);
    const isOff = await value(`${panel}.querySelector('.editor .main').disabled`);
    check(isOff, `a worksheet with ${line} can be opened`);
  }
  await fill('.formula', "learn 6\nexplain 'tanh(x*w) x=2");
  await untilText('.sheet-view [role=status]', '/Line 2: the quote/');
  await fill('.formula', 'learn 6\nlearn rule relu');
  await untilText('.sheet-view', '/Exercise 6: Softmax.*The backward function as a formula: ReLU/');
  await until(`${panel}.querySelector('[readonly]').value !== ''`, 20);
  const link = await value(`${panel}.querySelector('[readonly]').value`);
  check(/#sheet\+.*learn\+6%3B\+learn\+rule\+relu$/.test(link), `the link is ${link}`);
  await browser.open(link);
  await until(`/Ready/.test($('state').textContent)`, 60);
  await untilText('.items', '/Softmax.*ReLU/');
}

// The editor accepts the worksheet in the class kit.
async function classKit() {
  const kit = readFileSync(new URL('../../../docs/learn/class-kit.md', import.meta.url), 'utf8');
  const [, lines] = /```text\n(train reverse\n[^]*?)```/.exec(kit);
  await load('#sheet');
  await titled('/A worksheet for your class/');
  await fill('.formula', lines);
  await until(`!${panel}.querySelector('.editor .main').disabled`, 30);
}

// Prints worksheets and their key, without tabs and buttons.
async function print() {
  await load('#sheet');
  await titled('/A worksheet for your class/');
  await fill('.formula', 'learn 6\nlearn rule softmax\nlearn fault --seed 3\ntrain reverse');
  await until(`!${panel}.querySelector('.editor .main').disabled`, 30);
  await fill('.sheet-view section input', '17, x');
  await press('Printable sheets');
  await untilText('.sheet-view section [role=status]', '/expected student numbers/');
  await fill('.sheet-view section input', '17, 19-20');
  await press('Printable sheets');
  await until(`${panel}.querySelectorAll('.printed-sheet').length === 3`, 30);
  const paper = `${panel}.querySelector('.printed-sheets').textContent`;
  for (const part of ['Student 17', 'y0 = ___', 'dx = ___', 'Line: ___', 'At the screen: Train'])
    check((await value(paper)).includes(part), `the printed sheet lacks ${part}`);
  if (browser.call && browser.session)
    await browser.call('Emulation.setEmulatedMedia', { media: 'print' });
  const seen = `[...document.querySelectorAll('button, nav, input')].filter(
    each => each.getClientRects().length > 0).length`;
  if (browser.session) check((await value(seen)) === 0, 'buttons are printed');
  if (browser.session) await browser.call('Emulation.setEmulatedMedia', { media: '' });
  await press('Printable key');
  const isKey = `/Student 17.*dx1 = -0.177778.*dx = y . .dy - sum.*Line \\d+, \\w+\\..*Student 20/s`;
  await until(`${isKey}.test(${paper})`, 30);
}

const drop = files =>
  value(`(async () => {
    const dataTransfer = new DataTransfer();
    for (const file of await ${files}) dataTransfer.items.add(file);
    const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
    ${panel}.querySelector('.grade-view').dispatchEvent(event);
  })()`);

// Grades three submissions; one has another student's numbers.
async function grade() {
  const ada = handedIn;
  await load('#learn+grade');
  await titled('/Grade/');
  const cheat = ada.replaceAll('"student":17', '"student":18');
  const claim = { hints: 0, solution: false, passed: 1, parts: 1, version: 'x' };
  const answer = { task: 'rule', exercise: 'relu', student: 19, answers: 'dx = dy', ...claim };
  const files = {
    'hand-in-17.jsonl': ada,
    'hand-in-18 (1).jsonl': cheat,
    'hand-in-19.jsonl': `${JSON.stringify(answer)}\n`,
    'class.txt': '17 ada\n18 ben\n19 cleo\n20 dan\n',
  };
  await drop(`Object.entries(${said(files)}).map(([name, text]) => new File([text], name))`);
  await until(`/3 files/.test(${panel}.querySelector('.grade-view').textContent)`, 10);
  await press('Grade');
  await untilText('.rows', '/ada177 of 8/');
  await untilText('.rows', '/softmax, by hand4 of 4\\d+1shown/');
  await untilText('.rows', '/the numbers by hand belong to 17 ada/');
  await untilText('.rows', '/every gradient passes.*the record claims 1 of 1 right/');
  await untilText('.rows', '/dan200 of 8.*fault 9.*nothing handed in/');
  await fill('#graded-tasks', 'tapehead.html#sheet+train+reverse;+learn+6;+learn+rule+mul');
  await press('Grade');
  await untilText('.rows', '/ada174 of 6.*rule mul/');
  await fill('#graded-tasks', '');
  await value(`engine.run(wordsOf('learn 6 --into code/softmax --student 20')).then(() => 0)`);
  await drop(`(async () => {
    const named = each => ({ ...each, name: 'dan/' + each.name });
    const files = (await engine.tree('code')).map(named);
    files.push({ name: 'eve.jsonl', bytes: new TextEncoder().encode('no record') });
    return [new File([zipped(files)], 'class.zip')];
  })()`);
  await untilText('.grade-view .soft', '/dan.softmax.exercise.cpp/');
  await press('Grade');
  await untilText('.rows', '/dan20softmax, in C\\+\\+not checked.*needs a C\\+\\+ compiler/');
  await untilText('.rows', '/eve.*not a record of an answer/');
  const csv = await value(`engine.text('grading/grades.csv')`);
  const [head, first] = csv.split('\n');
  check(/^Student,ID,SIS User ID,SIS Login ID,Section,.*Total,Out of/.test(head), csv);
  check(/^"ada",,17,/.test(first), csv);
}

// Does an exercise with the keyboard only.
async function byKeyboard() {
  await load('#learn');
  await titled('/^Exercises$/');
  const active = `(({ textContent, id }) => textContent || id)(document.activeElement)`;
  const tabTo = async wanted => {
    for (let i = 0; i < 80; ++i) {
      await browser.press('Tab');
      if (wanted.test(await value(active))) return;
    }
    throw new Error(`the Tab key never reaches ${wanted}`);
  };
  await tabTo(/^5. ReLU and kinks/);
  await browser.press('Enter');
  await titled('/^5. ReLU/');
  await until(`document.activeElement.tagName === 'H2'`, 5);
  await tabTo(/relu-17-dx0/);
  await browser.type('7');
  await browser.press('Enter');
  await untilText(status, '/0 of 3 correct/');
  const at = await value('document.activeElement.id');
  check(at === 'relu-17-dx0', `after a wrong number the focus is at ${at}`);
  await tabTo(/^Hint/);
  await browser.press('Enter');
  await untilText('.hints', '/Hint 1/');
}

// Continues with an earlier file of answers in a reloaded page.
async function faultAfterLoading() {
  const before = await value(recorded);
  await value('localStorage.clear()');
  await value('(learner.isKept = true)'); // so that the page asks for no confirmation when left
  await load('#learn');
  await titled('/^Exercises$/');
  await value(`learner.goOnWith(${said(before)})`);
  await untilText('.parts', '/Softmax ✓ solved/');
  await value(`go(['learn', 'fault', '--seed', '9'])`);
  await fault();
}

await checkTab('exercises', [
  asksForTheNumber,
  list,
  exerciseByHand,
  rule,
  faultAfterLoading,
  handIn,
  reload,
  exam,
  puzzle,
  sheet,
  classKit,
  print,
  grade,
  byKeyboard,
]);
