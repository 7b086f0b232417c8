// One digest a row: tasks by the native command at each level, by the module in Chromium with the
// processor's multiply-add and with exact ones, and in Firefox. With the seconds that each took.
//   node bench/web.mjs [TASK...]
// It needs build/release and ./dev web, Chromium and firefox-esr.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { start } from '../parts/web/tests/browser.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const command = join(root, 'build/release/bin/tapehead');
const page = pathToFileURL(join(root, 'build/web/tapehead.html')).href;
const tasks = process.argv.length > 2 ? process.argv.slice(2) : ['reverse', 'copy', 'induction'];

function native(level) {
  return async task => {
    const folder = mkdtempSync(join(tmpdir(), 'web-'));
    const env = { ...process.env, TAPEHEAD_ISA: level };
    const words = ['train', ...task.split(' '), '--threads', '1', '--out', join(folder, 'run')];
    const out = String(execFileSync(command, words, { env }));
    rmSync(folder, { recursive: true });
    return out;
  };
}

function inBrowser(name, search) {
  return async task => {
    const browser = await start(name);
    try {
      await browser.open(page + search);
      await browser.until("$('state').textContent.startsWith('Ready')");
      const { out } = await browser.value(`engine.run(wordsOf('train ${task}'))`);
      return out;
    } finally {
      await browser.close();
    }
  };
}

const columns = {
  'native v4': native('v4'),
  'native v3': native('v3'),
  'native baseline': native('baseline'), // takes minutes
  Chromium: inBrowser('chromium', ''),
  Firefox: inBrowser('firefox', ''),
  'Chromium, exact': inBrowser('chromium', '?exact'),
};
console.log(`| task | digest | ${Object.keys(columns).join(' | ')} |`);
console.log(`| --- | --- | ${Object.keys(columns).map(() => '---:').join(' | ')} |`);
let isOne = true;
for (const task of tasks) {
  const digests = new Set();
  const seconds = [];
  for (const run of Object.values(columns)) {
    const began = performance.now();
    const out = await run(task);
    seconds.push(`${((performance.now() - began) / 1000).toFixed(1)} s`);
    digests.add(/digest of weights: +([0-9a-f]{16})/.exec(out)?.[1]);
  }
  isOne &&= digests.size === 1;
  console.log(`| \`${task}\` | ${[...digests].map(each => `\`${each}\``).join(', ')} | ${
    seconds.join(' | ')} |`);
}
process.exit(isOne ? 0 : 1);
