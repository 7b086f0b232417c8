// The Compare tab in a browser: two expressions, and two runs.
//   node compare.mjs PAGE.html [chromium|firefox]
import { browser, check, checkTab, equals, until, value } from './tab.mjs';

const panel = "document.querySelector('#panel-compare')";
const verdict = `${panel}.querySelector('.verdict').textContent`;
const status = `${panel}.querySelector('.soft[role=status]').textContent`;
const textOf = selector =>
  `[...${panel}.querySelectorAll('${selector}')].map(each => each.textContent).join()`;
// Checks that the summary of the comparison contains a text.
async function says(text) {
  const found = await value(verdict);
  check(found.includes(text), `the verdict is ${found}, expected it to contain ${text}`);
}
const ask = async words => {
  await value(`${panel}.querySelector('.verdict').textContent = ''`);
  await value(`open(${JSON.stringify(['compare', ...words])})`);
  await until(`${status} === '' && ${verdict} !== ''`);
};
const compareAll = words => value(`open(${JSON.stringify(['compare', ...words])})`);
const fits = () => equals('document.documentElement.scrollWidth <= innerWidth', true);

async function hasCommand() {
  const help = await value("engine.run(['compare', '--help']).then(({ out }) => out)");
  check(help.includes('usage: tapehead compare'), 'the command in this page lacks compare');
}

async function expressions() {
  await ask(['a*b + a*c', 'a*(b + c)', 'a=0.1', 'b=0.7', 'c=0.3']);
  await says('Equal up to rounding. The results differ, by at most 1 ulp; the gradients of the');
  await says('First difference: add 5 | mul 4: A computes it with mul');
  await equals('location.hash', "#compare+'a*b+%2B+a*c'+'a*(b+%2B+c)'+a=0.1+b=0.7+c=0.3");
  await equals(textOf('.both dd'), '0.09999999999999999,0.1');
  await equals(`${panel}.querySelectorAll('.pair-row.first').length`, 1);
  check((await value(textOf('.pair-row.first'))).includes('1 ulp ← first'), 'no mark');
  await ask(['sigmoid(x)', '1/(1+exp(-x))', 'x=0.7']);
  await says('Equal up to rounding. ');
  await says('the gradients of x are equal up to rounding');
  const ulp = await value(textOf('.ulp'));
  check(/^1 ulp .unit in the last place. is .* near 0.67, it is 1.1e-16/.test(ulp), ulp);
  await ask(['x*2', 'x*2.000001', 'x=1']);
  check(!(await value(verdict)).includes('rounding'), 'a real difference is called rounding');
  await ask(['tanh(x)*3', 'tanh(x)*3', 'x=2', 'x=2']);
  await says('No differences: ');
  await equals(`${panel}.querySelectorAll('.first, .note').length`, 0);
  await ask(['x*2', 'sum(x)', 'x=[1, 2; 3, 4]']);
  await says('The results differ in shape: (2, 2) and ()');
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
    await value(`${panel}.querySelector('.verdict').textContent = ''`);
    await value(`${select}.selectedIndex = ${i}, ${select}.dispatchEvent(new Event('change'))`);
    await until(`${status} === '' && ${verdict} !== ''`);
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
  const printed = `${panel}.querySelector('.printed')?.textContent`;
  await until(`/options that differ\\s+option +A +B\\s+lr/.test(${printed})`);
  await until(`/first op that differs/.test(${printed})`);
  await until(`${panel}.querySelectorAll('.chart .line').length === 4`); // two, and the legend's
  await fits();
  await compareAll(['runs/reverse-0', 'runs/reverse-0']);
  await until(`/the digest at step 20 is/.test(${printed})`);
  await browser.resize(1280, 900);
}

await checkTab('compare', [hasCommand, expressions, refuses, examples, runs]);
