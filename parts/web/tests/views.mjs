// The views of the page that layout.mjs looks at: a name, the address, and what to do first.
import { browser, until, value } from './tab.mjs';

const one = selector => `document.querySelector(${JSON.stringify(selector)})`;
const home = '#panel-home';
const node = name =>
  `[...document.querySelectorAll('.node')].find(each => each.querySelector('.title').textContent === '${name}')`;
const pressed = text =>
  value(`[...document.querySelectorAll('button, a')].find(
    each => each.textContent.includes(${JSON.stringify(text)}) && each.getClientRects().length > 0).click()`);
const fill = (selector, text) =>
  value(`(() => {
    const control = ${one(selector)};
    control.value = ${JSON.stringify(text)};
    for (const each of ['input', 'change']) control.dispatchEvent(new Event(each, { bubbles: true }));
  })()`);
const titled = text => until(`[...document.querySelectorAll('h2')].some(each => each.textContent.includes(${JSON.stringify(text)}))`);

// Goes back from the end by a number of moments.
async function back(count) {
  await until(one(`${home} .node`));
  await value('document.activeElement.blur()');
  await browser.press('End');
  for (let i = 0; i < count; ++i) await browser.press('ArrowLeft');
  await value('scrollTo(0, 0)');
}
async function lesson(name) {
  await value(`${one(`[data-lesson=${name}] button`)}.click()`);
  await until(one(`[data-lesson=${name}] [aria-current]`));
}
const lessonView = (name, moments = 3) => [name, '', () => lesson(name).then(() => back(moments))];

async function openedNumbers(name) {
  await value(`${node(name)}.querySelector('.head').click()`);
  await until(one('.panel[open] h2'));
}
async function predicting() {
  await until(one(`${home} .node`));
  await value(`${one('.predicting input')}.click()`);
  await until(one('.ask'));
}
async function modelHead() {
  await lesson('model');
  await pressed('Train a model');
  await until(node('blocks.0'), 60);
  await value(`${node('blocks.0')}.querySelector('.head').click()`);
  await value(`${node('attention')}.querySelector('.head').click()`);
  await until(node('Kᵀ'));
  await openedNumbers('Kᵀ');
  await value(`${one('.panel .map')}.click()`);
}

const trained = async () => {
  await until("/[0-9a-f]{16}/.test(document.querySelector('#panel-train .verdict').textContent)", 120);
  await until(one('#panel-train .trained table'), 60);
};
const shownPage = name => async () => {
  await trained();
  await pressed(name);
  await until("[...document.querySelectorAll('#panel-train .shown')].some(each => !each.hidden)", 60);
  await new Promise(done => setTimeout(done, 1500));
};
const training = '#train+reverse+--steps+60';
const output = text => until(`${one('#panel-terminal .printed')}.textContent.includes(${JSON.stringify(text)})`, 60);

const sheet = "#sheet+--title+'Week+3'+train+reverse;+explain+'x*x'+x=3;+learn+6;+learn+rule+softmax";

// Two trainings, then their comparison.
async function runs() {
  for (const more of ['', ' --lr 0.002'])
    await value(`engine.run(wordsOf('train reverse --steps 60${more}'))`);
  const names = await value("engine.list('runs')");
  await value(`open(['compare', ...${JSON.stringify(names.map(name => `runs/${name}`))}])`);
  await until(one('#panel-compare .printed'), 60);
}

// A right, a copied and a wrong submission.
async function grades() {
  await value(`(async () => {
    await learner.become('17');
    await learner.answer(['learn', 'rule', 'softmax', 'dx = y*(dy - sum(dy*y))']);
    await learner.answer(['learn', 'fault', '--seed', '2', '--answer', '1 sign']).catch(() => 0);
    const text = await engine.text('hand-in-17.jsonl');
    const dataTransfer = new DataTransfer();
    const files = {
      'hand-in-17.jsonl': text,
      'hand-in-18.jsonl': text.replaceAll('"student":17', '"student":18'),
      'hand-in-19.jsonl': text.replaceAll('"student":17', '"student":19').replaceAll('sum(dy*y)', 'dy*y'),
    };
    for (const name in files) dataTransfer.items.add(new File([files[name]], name));
    ${one('.grade-view')}.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
  })()`);
  await until("/3 files/.test(document.querySelector('.grade-view').textContent)");
  await value(`${one('.grade-view .main')}.click()`);
  await until(one('.grade-view .rows'));
  await value(`${one('.grade-view details')}.open = true`);
}

export const views = [
  lessonView('neuron', 6),
  ['numbers', '', async () => { await back(0); await openedNumbers('tanh'); }],
  ['predict', '', predicting],
  lessonView('fanout', 1),
  lessonView('network', 8),
  lessonView('loss'),
  lessonView('norm'),
  lessonView('attention', 4),
  ['weights', '', async () => { await lesson('attention'); await until(node('weights')); await openedNumbers('weights'); }],
  ['no-model', '', () => lesson('model')],
  ['model', '', modelHead],
  ['train', training, async () => {
    await trained();
    await value("document.querySelector('#cells').click()");
  }],
  ['own-data', '', async () => {
    await value("document.querySelector('#tab-train').click()");
    await until("document.querySelector('#panel-train optgroup')");
    await fill('#panel-train form select', 'names');
    await until(one('.own-data:not([hidden])'));
    await pressed('xample');
  }],
  ['report', training, shownPage('Report')],
  ['explained', training, shownPage('step by step')],
  ['compare', "#compare+'softmax(x)+@+w'+'exp(x)/sum(exp(x),+axes=[-1],+keep)+@+w'+'x=[1,2,0.5;0,1,3]'+'w=[1,2;3,4;5,6]'", () => until(one('#panel-compare .printed'))],
  ['runs', '', runs],
  ['exercises', '#learn+--student+17', () => titled('Exercises')],
  ['number', '#learn+6', () => titled('Your student number')],
  ['by-hand', '#learn+6+--student+17', async () => {
    await until(one('#softmax-17-y0'));
    await fill('#softmax-17-y0', '1/3');
    await fill('#softmax-17-y1', '7');
    await pressed('Check');
    await until(one('.number .mark, .number :nth-child(3)'));
  }],
  ['rule', '#learn+rule+softmax+--student+17', async () => {
    await until(one('.formula'));
    await fill('.formula', 'dx = y * (dy - dy * y)');
    await pressed('Check');
    await until(one('.part'));
  }],
  ['fault', '#learn+fault+--seed+9+--student+17', () => until(one('.answer select'))],
  ['sheet', sheet, () => until(one('.sheet-view .items'))],
  ['editor', '#sheet', () => titled('worksheet')],
  ['grade', '#learn+grade', grades],
  ['german', '?lang=de', () => back(3)],
  ['german-exercises', '?lang=de#learn+--student+17', () => until(one('.parts'))],
  ['german-train', '?lang=de#train+reverse+--steps+60', trained],
  ['terminal', '', () => value("document.querySelector('#tab-terminal').click()")],
  ['output', '#ops+softmax', () => output('softmax')],
  ['attention-page', "#train+reverse+--steps+20", async () => {
    await trained();
    await value("open(wordsOf('attention runs/reverse-0 --out heads.html'))");
    await until("document.querySelector('#panel-terminal iframe').src !== ''", 60);
    await new Promise(done => setTimeout(done, 1500));
  }],
];
