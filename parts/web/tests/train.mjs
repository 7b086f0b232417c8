// Tests the Train tab in a browser: own data, fields, answers to a typed sequence, attention of all
// layers, pages about the run, and the layout on three widths.
//   node train.mjs PAGE.html [chromium|firefox]
import { browser, check, checkTab, equals, load, until, value } from './tab.mjs';

const panel = "document.querySelector('#panel-train')";
const status = `${panel}.querySelector('[role=status]').textContent`;
const command = `${panel}.querySelector('form .choose .wide').value`;
const model = `${panel}.querySelector('.trained')`;
const texts = selector => `[...${panel}.querySelectorAll('${selector}')].map(e => e.textContent)`;
const press = text =>
  value(`[...${panel}.querySelectorAll('button')].find(b => b.textContent === '${text}').click()`);
const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));

async function choose(task) {
  await until(`${panel}.querySelector('optgroup')`);
  await value(`(() => {
    const control = ${panel}.querySelector('select');
    control.value = '${task}';
    control.dispatchEvent(new Event('change'));
  })()`);
  await until(`${command}.startsWith('train ${task}')`);
}
async function setOption(name, to) {
  await until(`${panel}.querySelector('[data-option=${name}]')`);
  await value(`(() => {
    const control = ${panel}.querySelector('[data-option=${name}]').querySelector('input, select');
    control.value = '${to}';
    control.dispatchEvent(new Event('change'));
  })()`);
}
async function ask(sequence) {
  await value(`${model}.querySelector('.answers').replaceChildren()`);
  await value(`(() => {
    const input = ${model}.querySelector('input');
    input.value = ${JSON.stringify(sequence)};
    input.form.requestSubmit();
  })()`);
}
async function trained() {
  await until(`/done in/.test(${status})`, 240);
  await until(`${model}.querySelector('table')`, 60);
}

// Each field says what it means and which default the task has.
async function describesFields() {
  await choose('induction');
  await until(
    `${panel}.querySelector('[data-option=position] option')?.textContent === 'rotary (default)'`);
  await equals(`${panel}.querySelector('[data-option=width] input').placeholder`, '32 (default)');
  await equals(`${texts('.fields:first-child .field label')}.length`, 6);
  await equals(
    `${panel}.querySelector('[data-option=layers] .soft').textContent`,
    'number of transformer blocks');
  await equals(`${panel}.textContent.includes('recipe')`, false);
  await setOption('steps', '60');
  await setOption('length', '12');
  await equals(command, 'train induction --steps 60 --length 12');
  await setOption('length', '');
  await equals(command, 'train induction --steps 60');
}

// All layers' heads are shown, also on a typed sequence.
async function showsEveryLayer() {
  await value("open(wordsOf('train induction'))");
  await trained();
  await equals(`${model}.querySelectorAll('#overview button').length`, 2);
  const last = `[...${model}.querySelectorAll('#overview button')].pop()`;
  await equals(`${last}.dataset.layer`, '1');
  const second = await value(`${last}.textContent`);
  check(/induction/.test(second), `layer 1 has no induction head: ${second}`);
  const rows = await value(texts('.trained td'));
  check(rows.length === 6, `${rows.length} cells`);
  check(/what came next/.test(rows[4]), `head 1.0 is described as: ${rows[4]}`);
  await value(`${last}.click()`);
  await ask('1 2 * 3 4 5 6 7 8 9 a b c d e f 1 2 3 4 5 6 7 8 9 a b c d *');
  await until(`${model}.querySelector('.answers strong')?.textContent === '3'`);
  await until(`${model}.querySelector('#queries').textContent.startsWith('12*345')`);
  check(/3 \d+\.\d %/.test(await value(`${model}.textContent`)), 'no probability of the answer');
  await ask('1 2 *');
  await until(`/expects 30 tokens/.test(${model}.querySelector('[role=status]').textContent)`);
}

// Circuits are offered only for models that have them, for the selected head.
async function offersCircuits() {
  const circuits = 'Circuits of the selected head';
  const offered = `[...${panel}.querySelectorAll('button')].find(
    b => b.textContent === '${circuits}').offsetHeight > 0`;
  await until(offered);
  await ask('1 2 * 3 4 5 6 7 8 9 a b c d e f 1 2 3 4 5 6 7 8 9 a b c d *');
  await until(`${model}.querySelector('.answers strong')`);
  await value(`(() => {
    const { show } = Shown.prototype;
    Shown.prototype.show = function (page) {
      window.shownPage = page;
      show.call(this, page);
    };
  })()`);
  await press(circuits);
  await until(`${panel}.querySelector('iframe').style.height !== ''`);
  check((await value('window.shownPage')).includes('Circuits of head 1.0'), 'the circuits are of another head');
  await value("open(wordsOf('train reverse --steps 20'))");
  await until(`/done in/.test(${status})`, 60);
  await until(`${model}.querySelector('table')`, 20);
  await wait(1000);
  await equals(offered, false);
}

// Data are pasted, chosen as a file, or an example; without data, the page says what is missing.
async function trainsOnOwnData() {
  await choose('names');
  await press('Train');
  await until(`/Paste your data/.test(${status})`);
  await equals("document.activeElement.id", 'own-data');
  await value(`(() => {
    const area = ${panel}.querySelector('textarea');
    area.value = 'anna\\nben\\ncarla\\n'.repeat(20);
    area.dispatchEvent(new Event('input'));
  })()`);
  await until(`${command}.endsWith('--data data/names.txt')`);
  await setOption('steps', '40');
  await press('Train');
  await trained();
  await ask('an');
  await until(`${model}.querySelector('.answers p')?.textContent.startsWith('an')`);

  await choose('pairs');
  await value(`(async () => {
    const chosen = ${panel}.querySelector('.own-data input[type=file]');
    const transfer = new DataTransfer();
    const lines = Array.from({ length: 300 }, (_, i) => i + ' -> ' + 2 * i);
    transfer.items.add(new File([lines.join('\\n')], 'my pairs.tsv'));
    chosen.files = transfer.files;
    chosen.dispatchEvent(new Event('change'));
  })()`);
  await until(`${command}.endsWith('--data data/my-pairs.tsv')`);
  await setOption('steps', '40');
  await press('Train');
  await trained();
  await equals("engine.text('data/my-pairs.tsv').then(text => text.split('\\n')[1])", '1\t2');

  for (const task of ['lines', 'text']) {
    await choose(task);
    await press('Use an example');
    await until(`${command}.endsWith('--data data/${task}.txt')`);
    await setOption('steps', '20');
    await press('Train');
    await trained();
  }
  await ask('Th');
  await until(`${model}.querySelector('.answers p')?.textContent.startsWith('Th')`);
  await value("open(wordsOf('train names --data other.txt'))");
  await until(`/other.txt isn't in this page/.test(${status})`);
}

// Pages have the height of their content, and nothing is wider than the window.
async function fits() {
  await value("open(wordsOf('train reverse --steps 20'))");
  await trained();
  for (const [width, height] of [[390, 844], [768, 1000], [1280, 900]]) {
    await browser.resize(width, height);
    await value(`${panel}.querySelector('iframe').style.height = ''`);
    await press('Report');
    await until(`parseInt(${panel}.querySelector('iframe').style.height) > 1000`, 60);
    await equals('document.documentElement.scrollWidth <= innerWidth', true);
    const controls = `[...${panel}.querySelectorAll('button, select, input:not([type=checkbox])')]`;
    const low = `${controls}.filter(e => e.offsetHeight > 0 && e.offsetHeight < 44)`;
    if (width === 390) await equals(`${low}.length`, 0);
    const small = `[...${panel}.querySelectorAll('.loss-curve text')].filter(
      e => e.getBoundingClientRect().height < 11).length`;
    await until(`${small} === 0`, 5);
  }
}

await checkTab('train', [
  load, describesFields, showsEveryLayer, offersCircuits, trainsOnOwnData, fits,
]);
