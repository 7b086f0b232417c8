// Checks the page: the same weight hashes as on other machines, operation by keyboard, and no
// network access. Uses Chromium, and Firefox if it is installed.
//   node check.mjs BUILD [COMMAND]
// BUILD is the folder with tapehead.html; the native program COMMAND continues the page's run.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { start } from './browser.mjs';
import { loaded } from '../module.mjs';

const [build, command] = process.argv.slice(2);
const page = pathToFileURL(resolve(build, 'tapehead.html')).href;
const glue = name => resolve(build, 'parts/web', `${name}.js`);
const counts = { passed: 0, failed: 0, skipped: 0 };

async function check(name, test) {
  try {
    const skipped = await test();
    if (skipped) console.log(`skipped ${name}: ${skipped}`);
    ++counts[skipped ? 'skipped' : 'passed'];
  } catch (error) {
    console.log(`failed ${name}: ${error.message}`);
    ++counts.failed;
  }
}

function equal(what, found, expected) {
  if (found !== expected) throw new Error(`${what} is ${found}, expected ${expected}`);
}

// ---- multiply-adds and weight hashes in node

// Weight hashes computed by the native command.
const digests = {
  'train reverse --steps 50': '18edd961bfbc3aab',
  'train copy --steps 50': '795b516dd2671aed',
  'train induction --steps 50': '5fe59313d3d7aedf',
};
const digestIn = text => /weight hash: +([0-9a-f]{16})/.exec(text)?.[1];

for (const isFused of [false, true]) {
  const kind = isFused ? 'fused' : 'exact';
  await check(`multiply-adds, ${kind}`, async () => {
    const run = await loaded(glue('fma'), isFused);
    if (!run) return 'this node has no relaxed SIMD';
    const { status, out } = run([]);
    if (status !== 0) throw new Error(out);
  });
  await check(`digests in node, ${kind}`, async () => {
    const run = await loaded(glue('command'), isFused);
    if (!run) return 'this node has no relaxed SIMD';
    for (const [line, digest] of Object.entries(digests))
      equal(line, digestIn(run(line.split(' ')).out), digest);
  });
}

// ---- the page

await check('the size', () => {
  const size = gzipSync(readFileSync(resolve(build, 'tapehead.html'))).length;
  if (size > 1.5e6) throw new Error(`the page has ${size} bytes compressed, expected 1.5 MB`);
});

const ready = "$('state').textContent.startsWith('Ready')";
const verdict = "document.querySelector('.verdict').textContent";
const click = text =>
  `[...document.querySelectorAll('button')].find(each => each.textContent === '${text}').click()`;
const status = "document.querySelector('#panel-train [role=status]').textContent";

// Creates an archive of a run with `name` as the run's folder.
const archiveOf = (run, name) =>
  `zipped((await engine.tree('${run}')).map(f => ({ ...f, name: '${name}/' + f.name })))`;

async function withPage(name, fragment, test, search = '') {
  const browser = await start(name);
  try {
    await browser.resize(1280, 900);
    await browser.open(page + search + fragment);
    await browser.until(ready);
    await test(browser);
    await browser.expectNoComplaints();
  } finally {
    await browser.close();
  }
}

const hasFirefox = (() => {
  try {
    execFileSync('sh', ['-c', 'command -v firefox-esr']);
    return true;
  } catch {
    return false;
  }
})();

for (const name of ['chromium', 'firefox'])
  for (const search of ['', '?exact'])
    await check(`digests in ${name}${search}`, async () => {
      if (name === 'firefox' && !hasFirefox) return 'firefox-esr is not installed';
      await withPage(
        name,
        '',
        async browser => {
          for (const [line, digest] of Object.entries(digests)) {
            const { out } = await browser.value(`engine.run(wordsOf(${JSON.stringify(line)}))`);
            equal(line, digestIn(out), digest);
          }
        },
        search,
      );
    });

await check('an address is its result', () =>
  withPage('chromium', '#train+reverse', async browser => {
    await browser.until(verdict, 120);
    const text = await browser.value(verdict);
    if (!text.includes('the same as recorded')) throw new Error(text);
    await browser.until("document.querySelectorAll('.answers .right').length === 4", 10);
    await browser.until("document.querySelector('#cells').width === 16", 10);
  }),
);

await check('a training stops, goes on, and is the same', () =>
  withPage('chromium', '', async browser => {
    await browser.value("open(wordsOf('train reverse --steps 1000'))");
    await browser.until(`${status}.includes('step 2')`);
    await browser.value(click('Stop'));
    await browser.until(`${status}.includes('stopped')`);
    const stopped = await browser.value(status);
    if (stopped.includes('step 1000')) throw new Error(`not stopped in time: ${stopped}`);

    const folder = mkdtempSync(join(tmpdir(), 'run-'));
    const archive = await browser.value(`(async () => {
      const bytes = new Uint8Array(await ${archiveOf('runs/reverse-0', 'run')}.arrayBuffer());
      return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
    })()`);
    await browser.value(click('Continue'));
    await browser.until(verdict, 120);
    const digest = /[0-9a-f]{16}/.exec(await browser.value(verdict))[0];
    if (command) {
      writeFileSync(join(folder, 'run.zip'), Buffer.from(archive, 'base64'));
      execFileSync('python3', ['-m', 'zipfile', '-e', 'run.zip', '.'], { cwd: folder });
      const out = execFileSync(resolve(command), ['train', '--resume', 'run'], { cwd: folder });
      equal('the digest of the native command', digestIn(String(out)), digest);
    }
    rmSync(folder, { recursive: true });
    const { out } =
      await browser.value("engine.run(wordsOf('train reverse --steps 1000 --out whole'))");
    equal('the digest', digest, digestIn(out));
  }),
);

await check('an archive is opened again', () =>
  withPage('chromium', '', async browser => {
    const choose = (bytes, name) =>
      browser.value(`(async () => {
        const chosen = document.querySelector('#panel-train input[accept=".zip"]');
        const transfer = new DataTransfer();
        transfer.items.add(new File([${bytes}], '${name}'));
        chosen.files = transfer.files;
        chosen.dispatchEvent(new Event('change'));
      })()`);
    await browser.value("engine.run(wordsOf('train reverse --steps 20 --out runs/mine'))");
    await choose(archiveOf('runs/mine', 'mine'), 'mine.zip');
    await browser.until(`${status}.includes('runs/mine-2 is opened')`, 10);
    const same = await browser.value(`(async () => {
      const first = await engine.run(['digest', 'runs/mine']);
      const second = await engine.run(['digest', 'runs/mine-2']);
      return first.out.slice(0, 16) === second.out.slice(0, 16) && first.out.length > 16;
    })()`);
    equal('whether both weight hashes are equal', same, true);
    for (const bad of ['new Uint8Array(100)', 'new Uint8Array(0)']) {
      await choose(bad, 'bad.zip');
      await browser.until(`${status}.includes('bad.zip: not a .zip archive')`, 10);
    }
  }),
);

await check('the command line by keyboard', () =>
  withPage('chromium', '', async browser => {
    await browser.value("document.querySelector('[role=tab]').focus()");
    await browser.press('End');
    equal('the tab', await browser.value('document.activeElement.textContent'), 'Command line');
    await browser.value("document.querySelector('#line').focus()");
    await browser.type("explain 'x*x' x=3");
    await browser.press('Enter');
    await browser.until(
      "document.querySelector('#panel-terminal .printed').textContent.includes('finite diff')");
    await browser.value("document.querySelector('#line').select()");
    await browser.type('train nonsense');
    await browser.press('Enter');
    await browser.until(
      "document.querySelector('#panel-terminal').textContent.includes('unknown task')");
  }),
);

await check('memory after ten trainings', () =>
  withPage('chromium', '', async browser => {
    const sizes = [];
    for (let i = 0; i < 10; ++i) {
      await browser.value("engine.run(wordsOf('train reverse --steps 10'))");
      sizes.push(await browser.value('engine.memory()'));
    }
    equal('the memory after the tenth', sizes[9], sizes[2]);
  }),
);

console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exit(counts.failed === 0 && counts.passed > 0 ? 0 : 1);
