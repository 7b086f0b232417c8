// Writes one HTML page with both compressed modules and the page's styles and scripts.
//   node assemble.mjs OUT EXACT.js RELAXED.js SHARED ROOT
// EXACT.wasm and RELAXED.wasm are next to their scripts. SHARED is parts/pages/web, with files that
// all pages use; ROOT is the project's folder.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const [out, exact, relaxed, shared, root] = process.argv.slice(2);
const own = join(dirname(fileURLToPath(import.meta.url)), 'page');
const text = file => readFileSync(file, 'utf8');

// The scripts of both modules differ only in the name of the module's file; the page uses one.
const glueOf = file => text(file).replace(/command-\w+\.wasm/g, 'command.wasm');
const glue = glueOf(exact);
if (glueOf(relaxed) !== glue) throw new Error(`${relaxed} differs from ${exact}`);
const packed = file =>
  gzipSync(readFileSync(file.replace(/\.js$/, '.wasm')), { level: 9 }).toString('base64');

// The weight hash of each command in docs/results.md.
const recorded = {};
for (const [, command, digest] of text(join(root, 'docs/results.md')).matchAll(
  /^\| `([^`]+)` \| `([0-9a-f]{16})` \|/gm,
))
  recorded[`train ${command}`] = digest;

const script = source => source.replaceAll('</script', '<\\/script');
const tabs = ['train', 'step', 'compare', 'exercises'];
const styles = [join(shared, 'base.css'), join(own, 'page.css')].concat(
  tabs.map(tab => join(own, tab, `${tab}.css`)),
);
// Scripts come after the scripts whose names they use while loading.
const scripts = [join(shared, 'elements.js')].concat(
  [
    ...['engine', 'zip', 'words', 'shell', 'curve', 'train/train'],
    ...['tensors', 'spin', 'predict', 'tape', 'step'].map(name => `step/${name}`),
    ...['compare_tapes', 'compare_runs', 'compare'].map(name => `compare/${name}`),
    ...['learner', 'course_text', 'by_hand', 'rule', 'fault'].map(name => `exercises/${name}`),
    ...['hand_in', 'sheet', 'sheet_editor', 'grade', 'exercises'].map(name => `exercises/${name}`),
    ...['terminal', 'start'],
  ].map(name => join(own, `${name}.js`)),
);
const parts = {
  style: styles.map(text).join('\n'),
  data: JSON.stringify({ recorded }),
  exact: packed(exact),
  relaxed: packed(relaxed),
  worker: script(glue + '\n' + text(join(own, 'worker.js'))),
  script: script(scripts.map(text).join('\n')),
};
const page = text(join(own, 'page.html')).replace(/\{(\w+)\}/g, (_, name) => parts[name]);
writeFileSync(out, page);
const kilobytes = size => `${Math.round(size / 1000)} kB`;
console.log(
  `${out}: ${kilobytes(page.length)}, ${kilobytes(gzipSync(page, { level: 9 }).length)} compressed`,
);
