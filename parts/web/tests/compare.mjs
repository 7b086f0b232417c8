// The tab Compare in a browser: two expressions, and two runs.
//   node compare.mjs PAGE.html [chromium|firefox]
import { resolve } from 'node:path';
import { start } from './browser.mjs';

const [page = 'build/web/tapehead.html', name = 'chromium'] = process.argv.slice(2);
const browser = await start(name);
const value = expression => browser.value(expression);
const until = (expression, seconds = 20) => browser.until(expression, seconds);

function check(isTrue, text) {
  if (!isTrue) throw new Error(text);
}
async function equals(expression, wanted) {
  const found = await value(expression);
  check(found === wanted, `${expression} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}

const panel = "document.querySelector('#panel-compare')";
const verdict = `${panel}.querySelector('.verdict').textContent`;
const status = `${panel}.querySelector('.soft[role=status]').textContent`;
const texts = selector => `[...${panel}.querySelectorAll('${selector}')].map(each => each.textContent)`;
const ask = async words => {
  await value(`${panel}.querySelector('.verdict').textContent = ''`);
  await value(`open(${JSON.stringify(['compare', ...words])})`);
  await until(`${status} === '' && ${verdict} !== ''`);
};
const fits = () => equals('document.documentElement.scrollWidth <= innerWidth', true);

async function hasCommand() {
  const help = await value("engine.run(['compare', '--help']).then(({ out }) => out)");
  check(help.includes('usage: tapehead compare'), 'the command of this page has no compare');
}

async function expressions() {
  await ask(['a*b + a*c', 'a*(b + c)', 'a=0.1', 'b=0.7', 'c=0.3']);
  check((await value(verdict)).startsWith('The results differ, by at most 1 ulp; '), await value(verdict));
  check((await value(verdict)).includes('What differs first is add 5 | mul 4: A makes it by mul'), await value(verdict));
  await equals('location.hash', "#compare+'a*b+%2B+a*c'+'a*(b+%2B+c)'+a=0.1+b=0.7+c=0.3");
  await equals(`${texts('.both dd')}.join()`, '0.09999999999999999,0.1');
  await equals(`${panel}.querySelectorAll('.pair-row.first').length`, 1);
  check(await value(`${panel}.querySelector('.pair-row.first').textContent.includes('1 ulp ← first')`), 'the first is not marked');
  await ask(['tanh(x)*3', 'tanh(x)*3', 'x=2', 'x=2']);
  check((await value(verdict)).startsWith('Nothing differs: '), await value(verdict));
  await equals(`${panel}.querySelectorAll('.first, .note').length`, 0);
  await ask(['x*2', 'sum(x)', 'x=[1, 2; 3, 4]']);
  check((await value(verdict)).startsWith('The results differ in shape: (2, 2) and ()'), await value(verdict));
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
  await until(`${status}.includes('There is no run runs/reverse-0 in this page')`);
  const train = 'train reverse --length 4 --symbols 5 --steps 20 --eval-every 10';
  await value(`engine.run(wordsOf('${train}'))`);
  await value(`engine.run(wordsOf('${train} --lr 0.002 --out runs/other'))`);
  await ask(['runs/reverse-0', 'runs/other', '--example', '1']);
  check((await value(verdict)).startsWith('Options differ: lr. The metrics part at step 1, first in lr.'), await value(verdict));
  await equals(`${panel}.querySelectorAll('.curve polyline').length`, 2);
  check((await value(`${texts('caption')}.join()`)).startsWith('Options that differ,What differs at step 1'), 'no tables');
  check(await value(`${panel}.querySelectorAll('.note dd').length === 4`), 'not two numbers in two directions');
  await fits();
  await ask(['runs/reverse-0', 'runs/reverse-0']);
  check((await value(verdict)).includes('their digest at step 20 is '), await value(verdict));
  await browser.resize(1280, 900);
}

let failed = null;
try {
  await browser.resize(1280, 900);
  await browser.open(`file://${resolve(page)}`);
  await until("/Ready/.test(document.getElementById('state').textContent)", 60);
  for (const test of [hasCommand, expressions, refuses, examples, runs]) await test();
  check(browser.complaints.length === 0, `the browser complains: ${browser.complaints.join('; ')}`);
} catch (error) {
  failed = error;
}
await browser.close();
console.log(failed ? `compare, ${name}: ${failed.message}` : `compare, ${name}: right`);
process.exitCode = failed ? 1 : 0;
