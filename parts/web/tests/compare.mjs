// The Compare tab in a browser: two expressions, and two runs.
//   node compare.mjs PAGE.html [chromium|firefox]
import { browser, check, checkTab, equals, until, value } from './tab.mjs';

const panel = "document.querySelector('#panel-compare')";
const printed = `(${panel}.querySelector('.printed')?.textContent ?? '')`;
const status = `${panel}.querySelector('.soft[role=status]').textContent`;
// Checks that the printed comparison contains a text.
async function says(text) {
  const found = (await value(printed)).replace(/\s+/g, ' ');
  check(found.includes(text), `the comparison is ${found}, expected it to contain ${text}`);
}
const clear = () => value(`(${panel}.querySelector('.printed')?.remove(), 0)`);
const ask = async words => {
  await clear();
  await value(`open(${JSON.stringify(['compare', ...words])})`);
  await until(`${status} === '' && ${printed} !== ''`);
};
const compareAll = words => value(`open(${JSON.stringify(['compare', ...words])})`);
const fits = () => equals('document.documentElement.scrollWidth <= innerWidth', true);

async function hasCommand() {
  const help = await value("engine.run(['compare', '--help']).then(({ out }) => out)");
  check(help.includes('usage: tapehead compare'), 'the command in this page lacks compare');
}

async function expressions() {
  await ask(['a*b + a*c', 'a*(b + c)', 'a=0.1', 'b=0.7', 'c=0.3']);
  await says('the results are equal up to rounding: they differ, by at most 1 ulp');
  await says('first value that differs: add 5 | mul 4');
  await says('A 0.09999999999999999 B 0.1');
  await says('1 ulp <- first');
  await equals('location.hash', "#compare+'a*b+%2B+a*c'+'a*(b+%2B+c)'+a=0.1+b=0.7+c=0.3");
  await ask(['sigmoid(x)', '1/(1+exp(-x))', 'x=0.7']);
  await says('the results are equal up to rounding');
  await says('the gradients of x are equal up to rounding');
  await says('1 ulp (unit in the last place) is the distance to the next f64: near 0.67 it is 1.1e-16');
  await ask(['x*2', 'x*2.000001', 'x=1']);
  check(!(await value(printed)).includes('rounding'), 'a real difference is called rounding');
  await ask(['tanh(x)*3', 'tanh(x)*3', 'x=2', 'x=2']);
  await says('the results are bitwise identical');
  await ask(['x*2', 'sum(x)', 'x=[1, 2; 3, 4]']);
  await says('the results differ in shape: (2, 2) and ()');
}

async function refuses() {
  const input = at => `${panel}.querySelectorAll('input.wide')[${at}]`;
  await value(`${input(0)}.focus(), ${input(0)}.select()`);
  await browser.type('x*(');
  await browser.press('Enter');
  await until(`${status}.includes("'x*('")`);
  await equals(`${input(0)}.value`, 'x*(');
  await equals(`${input(1)}.value`, 'sum(x)');
}

async function examples() {
  await browser.resize(390, 844);
  const select = `${panel}.querySelector('select')`;
  for (let i = 1; i < (await value(`${select}.options.length`)); ++i) {
    await clear();
    await value(`${select}.selectedIndex = ${i}, ${select}.dispatchEvent(new Event('change'))`);
    await until(`${status} === '' && ${printed} !== ''`);
    await equals(`Number(${select}.selectedIndex)`, i);
    await fits();
  }
}

async function runs() {
  await value("open(wordsOf('compare runs/reverse-0 runs/other'))");
  await until(`${status}.includes('No run runs/reverse-0 in this page')`);
  const train = 'train reverse --length 4 --symbols 5 --steps 20 --eval-every 10';
  await value(`engine.run(wordsOf('${train}'))`);
  await value(`engine.run(wordsOf('${train} --lr 0.002 --out runs/other'))`);
  await compareAll(['runs/reverse-0', 'runs/other', '--example', '1']);
  await until(`/options that differ\\s+option +A +B\\s+lr/.test(${printed})`);
  await until(`/first op that differs/.test(${printed})`);
  await until(`${panel}.querySelectorAll('.chart .line').length === 4`); // two, and the legend's
  await fits();
  await compareAll(['runs/reverse-0', 'runs/reverse-0']);
  await until(`/the digest at step 20 is/.test(${printed})`);
  await browser.resize(1280, 900);
}

await checkTab('compare', [hasCommand, expressions, refuses, examples, runs]);
