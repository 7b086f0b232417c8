// Tests the Step tab in a browser: changing numbers, predicting gradients, and pages of `explain`.
//   node step.mjs PAGE.html [chromium|firefox]
import { browser, check, checkTab, equals, until, value } from './tab.mjs';

const panel = "document.querySelector('#panel-step')";
const status = `${panel}.querySelector('[role=status]').textContent`;
const row = at => `${panel}.querySelectorAll('.tape-row:not(.tape-head)')[${at}]`;
const cell = (at, column) => `${row(at)}.children[${column}].textContent`;
const spin = at => `${panel}.querySelectorAll('[role=spinbutton]')[${at}]`;
const focused = expression => `document.activeElement === ${expression}`;
const ask = async line => {
  await value(`open(wordsOf(${JSON.stringify(`explain ${line}`)}))`);
  await until(`${panel}.querySelectorAll('.tape-row').length > 2`);
};

async function moves() {
  await ask("'tanh(x*w + b)' x=2 w=-3 b=6.88");
  await until(`${cell(0, 4)} === '-1.5029'`);
  await equals(cell(0, 5), '-1.5029');
  await equals(cell(3, 3), 'dx = dy w, dw = dy x');
  await value(`${spin(0)}.focus()`);
  await browser.press('ArrowUp');
  await until(`${cell(3, 2)} === '-6.3000'`);
  await equals(`${spin(0)}.getAttribute('aria-valuenow')`, '2.1');
  await equals(focused(spin(0)), true);
  for (let i = 0; i < 21; ++i) await browser.press('ArrowLeft');
  await until(`${spin(0)}.textContent === '0'`);
  await browser.press('ArrowRight');
  await until(`${spin(0)}.textContent === '0.1'`);
  await browser.press('PageUp');
  await until(`${cell(3, 2)} === '-3.3000'`);
  await until("location.hash === \"#explain+'tanh(x*w+%2B+b)'+x=1.1+w=-3+b=6.88\"");
  await until(`/gradient of x/.test(${status})`);
  const { x, y } = await value(`${spin(1)}.getBoundingClientRect().toJSON()`);
  await browser.drag([x + 10, y + 10], [x + 40, y + 10]); // 30 pixels are ten steps
  await until(`${cell(3, 2)} === '-2.2000'`);
  await equals(focused(spin(1)), true);
  await browser.press('Enter');
  await browser.type('-1');
  await browser.press('Enter');
  await until(`${cell(3, 2)} === '-1.1000' && ${focused(spin(1))}`);
}

async function marks() {
  await value(`${row(3)}.focus()`);
  const numbers = of => `[...${panel}.querySelectorAll('${of} > :first-child')]`;
  await equals(`${numbers('.is-input')}.map(each => each.textContent).join()`, '0,1');
  await equals(`${numbers('.is-user')}.map(each => each.textContent).join()`, '4');
  await browser.press('ArrowDown');
  await equals(focused(row(4)), true);
}

async function predicts() {
  const box = `${panel}.querySelector('input[type=checkbox]')`;
  const said = `${panel}.querySelector('.verdict').textContent`;
  await ask("'a*b + a' a=2 b=3");
  await until(`${cell(0, 1)}.startsWith('a')`);
  await value(`${box}.click()`);
  await equals(cell(0, 4), '?');
  await equals(cell(0, 5), '?');
  await browser.type('1');
  await browser.press('Enter');
  await until(`${said} === 'Correct: d mul is 1.0000. 1 of 1 correct.'`);
  await browser.type('5');
  await browser.press('Enter');
  await until(`${said} === 'Not 5: d b is 2.0000. 1 of 2 correct.'`);
  await browser.type('4');
  await browser.press('Enter');
  await until(`${said} === 'Correct: d a is 4.0000. 2 of 3 correct; that was the last.'`);
  const sum = await value(`${row(0)}.textContent.includes('3.0000(mul 2) + 1.0000(add 3)')`);
  check(sum, 'the sum of the two uses of a is missing');
  await equals(focused(box), true);
  await value(`${box}.click()`);
}

async function refuses() {
  const input = `${panel}.querySelector('input.wide')`;
  await value(`${input}.focus(), ${input}.select()`);
  await browser.type("'a*)' a=2");
  await browser.press('Enter');
  await until(`${status}.includes("'a*)': expected a number")`);
  await equals(`${input}.value`, "'a*)' a=2");
  await equals(cell(0, 2), '2');
  await value(`${spin(0)}.focus()`);
  await browser.press('ArrowUp'); // the error hasn't replaced the tape
  await until(`${cell(2, 2)} === '6.3000'`);
  await value(`open(['explain', 'x*2', 'x=inf'])`);
  await until(`${cell(0, 2)} === 'not finite'`);
}

async function examples() {
  await browser.resize(390, 844);
  const select = `${panel}.querySelector('select')`;
  const count = await value(`${select}.options.length`);
  check(count > 8, `only ${count} examples`);
  for (let i = 1; i < count; ++i) {
    await value(`${status} && (${panel}.querySelector('[role=status]').textContent = '')`);
    await value(`${panel}.querySelector('.tape').replaceChildren()`);
    await value(`${select}.selectedIndex = ${i}, ${select}.dispatchEvent(new Event('change'))`);
    await value(`engine.list('runs')`); // answered only after the example's command
    await equals(status, '');
    await equals('document.documentElement.scrollWidth <= innerWidth', true);
  }
  await browser.resize(1280, 900);
}

async function pages() {
  const frame = `${panel}.querySelector('iframe')`;
  await ask("'x @ w' 'x=[1, 2; 0, 1]' 'w=[3, 0; 1, 2]'");
  const isIt = "each => each.textContent === 'Step through it'";
  await value(`[...${panel}.querySelectorAll('button')].find(${isIt}).click()`);
  await until(`${frame}.src.startsWith('blob:') && !${frame}.parentNode.hidden`);
  await value("open(wordsOf('explain runs/reverse-0 --example 2'))");
  await until(`/No run runs.reverse-0/.test(${panel}.textContent)`);
  await equals(`${panel}.querySelector('a[href="#train+reverse"]') !== null`, true);
  await value("engine.run(wordsOf('train reverse --length 4 --symbols 5 --steps 4'))");
  await value("open(wordsOf('explain runs/reverse-0 --example 2'))");
  await until(`!${frame}.parentNode.hidden`);
  await equals('location.hash', '#explain+runs/reverse-0+--example+2');
  await value("open(wordsOf('explain runs/reverse-0 --example 99999'))");
  await until(`/--example 99999: the validation examples are/.test(${panel}.textContent)`);
}

await checkTab('step', [moves, marks, predicts, refuses, examples, pages]);
