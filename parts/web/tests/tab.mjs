// Helpers for the tests of tabs, which open the page in a browser.
//   node TAB.mjs [PAGE.html [chromium|firefox]]
import { resolve } from 'node:path';
import { start } from './browser.mjs';

const [page = 'build/web/tapehead.html', name = 'chromium'] = process.argv.slice(2);
export const browser = await start(name);
export const value = expression => browser.value(expression);
export const until = (expression, seconds = 20) => browser.until(expression, seconds);

export function check(isTrue, text) {
  if (!isTrue) throw new Error(text);
}
// Opens the page with a fragment and waits until it is ready.
export async function load(fragment = '') {
  await browser.open(`file://${resolve(page)}${fragment}`);
  await until("/Ready|Bereit/.test(document.getElementById('state').textContent)", 60);
}
export async function equals(expression, wanted) {
  const found = await value(expression);
  const [is, should] = [found, wanted].map(each => JSON.stringify(each));
  check(found === wanted, `${expression} is ${is}, expected ${should}`);
}

// Runs the tests, prints the result and closes the browser.
export async function checkTab(tab, tests) {
  let result = 'right';
  try {
    await browser.resize(1280, 900);
    await load();
    for (const test of tests) await test();
    await browser.expectNoComplaints();
  } catch (error) {
    result = error.message;
    process.exitCode = 1;
  }
  await browser.close();
  console.log(`${tab}, ${name}: ${result}`);
}
