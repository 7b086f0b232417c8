// Tests the home tab in a browser: the graph, its numbers, predictions, lessons and models.
//   node home.mjs PAGE.html [chromium|firefox]
import { browser, check, checkTab, equals, load, until, value } from './tab.mjs';

const panel = "document.querySelector('#panel-home')";
const status = `${panel}.querySelector('[role=status]').textContent`;
const caption = `${panel}.querySelector('.caption').textContent`;
const node = name =>
  `[...${panel}.querySelectorAll('.node')].find(each => each.querySelector('.title').textContent === '${name}')`;
const number = (name, what) => `${node(name)}?.querySelector('.${what} .scalar').textContent`;
const spin = name => `${node(name)}?.querySelector('.spin')`;
const press = text =>
  value(`[...${panel}.querySelectorAll('button')].find(each => each.textContent.includes('${text}')).click()`);
const ask = line => value(`open(wordsOf(${JSON.stringify(`explain ${line}`)}))`);
const lesson = name => value(`${panel}.querySelector('[data-lesson=${name}] button').click()`);
const neuron = "'tanh(a*b + c)*d' a=2 b=-3 c=7 d=4";

// The first graph is there before the command, and arrow keys work without a click.
async function opens() {
  await equals(number('tanh', 'gradient'), '4');
  await equals(`${spin('a')}.value`, '2');
  await equals(`${panel}.querySelectorAll('.edge .flowed').length`, 7);
  const spoken = `${node('add')}.querySelector('.head').getAttribute('aria-label')`;
  await equals(spoken, 'add, value 1, gradient 1.68');
  await browser.press('Home');
  await equals(caption, 'multiply 4: y = a b = -6');
  await browser.press('End');
}

async function moves() {
  await value(`${spin('a')}.focus()`);
  await browser.press('ArrowUp');
  await until(`${number('add', 'value')} === '0.7'`);
  await equals(`document.activeElement === ${spin('a')}`, true);
  await until(`location.hash === "#explain+'tanh(a*b+%2B+c)*d'+a=2.1+b=-3+c=7+d=4"`);
  const slider = `${node('c')}.querySelector('[type=range]')`;
  await value(`(${slider}.value = 4, ${slider}.dispatchEvent(new Event('input')))`);
  await until(`${number('add', 'value')} === '-2.3'`);
  await equals(`${spin('c')}.value`, '4');
  await value(`${spin('b')}.focus()`);
  await browser.press('PageUp');
  await until(`${spin('b')}.value === '-2'`);
  await value(`${spin('b')}.focus(), ${spin('b')}.select()`);
  await browser.type('0,5');
  await browser.press('Enter');
  await until(`${number('add', 'value')} === '5.05'`);
}

// Each edge says what flows along it, and why.
async function flowsBack() {
  await ask(neuron);
  await until(`${spin('a')}?.value === '2' && ${number('tanh', 'gradient')} === '4'`);
  await value('document.activeElement.blur()');
  for (let i = 0; i < 8; ++i) await browser.press('ArrowRight');
  await equals(caption, 'tanh → add upstream 4 × local 0.42 = 1.68tanh is already flat here, so less than half passes.');
  await equals(`${panel}.querySelector('.edge.now').textContent`, '4 × 0.42\n= 1.68');
  await equals(number('a', 'gradient'), '·');
  await browser.press('ArrowRight');
  await until(`/^add → c.*Add distributes/.test(${caption}) || /^add → multiply 4.*Add distributes/.test(${caption})`);
  await browser.press('ArrowLeft');
  await browser.press('ArrowLeft');
  await until(`/multiply 7 → d upstream 1 × local 0.7616.*Multiply swaps: d receives.*tanh = 0.7616/.test(${caption})`);
  await ask("'a*b + a' a=2 b=3");
  await until(`${panel}.querySelectorAll('.node').length === 4`);
  await browser.press('End');
  for (let i = 0; i < 2; ++i) await browser.press('ArrowLeft');
  await until(`/a is used 2 times, so it adds up: 1 . 3 = 4/.test(${caption})`);
  await ask("'relu(x)*w + max(x, y)' x=-1 w=3 y=2");
  await until(`${panel}.querySelectorAll('.node').length === 7`);
  const said = [];
  for (let i = 0; i < 14; ++i) {
    await browser.press('ArrowRight');
    said.push(await value(caption));
  }
  for (const text of ['it is closed', 'routes the whole gradient to this input', 'this one lost'])
    check(said.some(each => each.includes(text)), `no caption says "${text}"`);
}

// A prediction has two tries, and the answer is visible nowhere before.
async function predicts() {
  await ask(neuron);
  await until(`${spin('a')}?.value === '2'`);
  await value(`${panel}.querySelector('.panel').open = true`);
  await value(`${panel}.querySelector('.predicting input').click()`);
  await equals(caption, 'What does multiply 7 send to tanh?');
  await equals(number('tanh', 'gradient'), '?');
  await browser.type('3');
  await browser.press('Enter');
  await until(`/One more try/.test(${caption})`);
  await browser.type('4');
  await browser.press('Enter');
  await until(`/^Right.*upstream 1 × local 4 = 4/.test(${caption})`);
  await browser.press('Enter'); // the focus is on the button for the next step
  await until(`/^What does multiply 7 send to d/.test(${caption})`);
  const shown = `${panel}.querySelector('.explainer').textContent`;
  await browser.press('ArrowRight');
  await until(`/^What does tanh send to add/.test(${caption})`);
  check(!/1\.68|0\.42/.test(await value(shown)), 'the answer is visible');
  await value(`${panel}.querySelector('.ask input').focus()`);
  for (const guess of ['7', '-8']) {
    await browser.type(guess);
    await browser.press('Enter');
  }
  await until(`/^Not -8.*tanh is already flat here/.test(${caption})`);
  await equals(`${panel}.querySelector('.score').textContent`, '1 of 2 right');
  await value(`${panel}.querySelector('.predicting input').click()`);
}

async function reads() {
  const line = `${panel}.querySelector('input.wide')`;
  const type = async text => {
    await value(`(${line}.value = ${JSON.stringify(text)}, ${line}.form.requestSubmit())`);
  };
  const command = `${panel}.querySelector('.as-command code').textContent`;
  await type('y = x**2 + max( x,z )');
  await until(`${command} === "tapehead explain 'x**2 + max( x,z )' x=1 z=-0.5"`);
  await type('a*b + c a=3, b = -2');
  await until(`${command} === "tapehead explain 'a*b + c' a=3 b=-2 c=0.5"`);
  await type('softmax(scores)');
  await until(`${command} === "tapehead explain 'softmax(scores)' 'scores=[1, -0.5, 2]'"`);
  await type('q @ w');
  await until(`/q=.1, 2; -1, 0.5/.test(${command})`);
  await type('a*)');
  await until(`/expected a number/.test(${status})`);
  await type('nothing(a)');
  await until(`/There is no function nothing/.test(${status})`);
}

// All lessons fit in a phone and have large enough targets and labels.
async function fits() {
  for (const width of [390, 768, 1280]) {
    await browser.resize(width, 844);
    for (const name of ['neuron', 'fanout', 'network', 'loss', 'norm', 'attention']) {
      await lesson(name);
      await until(`${panel}.querySelector('[data-lesson=${name}] [aria-current]')`);
      await equals(status, '');
      await equals('document.documentElement.scrollWidth <= innerWidth', true);
      const wide = `[...${panel}.querySelectorAll('.node')].filter(each => each.getBoundingClientRect().right > innerWidth).length`;
      await equals(wide, 0);
      const small = `[...${panel}.querySelectorAll('.graph *')].filter(each => each.children.length === 0 && each.textContent && parseFloat(getComputedStyle(each).fontSize) < 11).length`;
      await equals(small, 0);
      if (width > 390) continue;
      const targets = `[...${panel}.querySelectorAll('.lessons button, .player button, .node input, .head')].filter(each => each.offsetHeight < 44).length`;
      await equals(targets, 0);
    }
  }
  await browser.resize(1280, 900);
}

// A model trained in the page is a graph of boxes; in an attention head, tensors have names.
async function models() {
  await lesson('attention');
  for (const name of ['Q', 'K', 'Kᵀ', 'V', 'scores', 'weights', 'output'])
    await until(`${node(name)}`);
  await ask('runs/reverse-0 --example 2');
  await until(`/No run runs.reverse-0/.test(${status})`);
  await lesson('model');
  await until(`/Train a model/.test(${panel}.querySelector('.model').textContent)`);
  await press('Train a model');
  await until(`${node('blocks.0')}`, 60);
  await equals(`${panel}.querySelector('.about').textContent.startsWith('2 1 0 3 →')`, true);
  await value(`${node('blocks.0')}.querySelector('.head').click()`);
  await value(`${node('attention')}.querySelector('.head').click()`);
  for (const name of ['Q', 'K', 'V', 'scores', 'weights', 'output']) await until(`${node(name)}`);
  await until(`[...${panel}.querySelectorAll('.edge .shape')].some(each => each.textContent === '2×4×8')`);
  await value(`${node('weights')}.querySelector('.head').click()`);
  await until(`/softmax/.test(${panel}.querySelector('.panel h2').textContent)`);
  await value(`document.activeElement.blur()`);
  await browser.press('ArrowLeft');
  await until(`${panel}.querySelector('.edge.now')`);
  await press('Whole graph');
  await until(`${node('loss')}`);
}

// The page of `explain` in another tab is the same component, not a frame.
async function inline() {
  await value("open(wordsOf('explain a*b a=1 b=2 --out x.html'))");
  await until("document.querySelectorAll('#panel-terminal .node').length === 3");
  await equals("document.querySelector('#panel-terminal iframe').hidden", true);
}

async function german() {
  const missing = 'Object.keys(texts.en).filter(key => !(key in texts.de)).join()';
  await equals(missing, '');
  await load('?lang=de');
  await until(`/Rückwärts/.test(${panel}.querySelector('.play').textContent)`);
  await equals('document.documentElement.lang', 'de');
  await browser.press('Home');
  await until(`/^mal 4/.test(${caption})`);
}

await checkTab('home', [opens, moves, flowsBack, predicts, reads, fits, models, inline, german]);
