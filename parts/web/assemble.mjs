// Writes one HTML page with the module, and the page's styles and scripts.
//   node assemble.mjs OUT COMMAND.js SHARED ROOT
// COMMAND.wasm is next to its script. SHARED is parts/pages/web, with files that all pages use; ROOT
// is the project's folder.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { fuse, withMultiplyAdds } from './multiply_adds.mjs';

const [out, glue, shared, root] = process.argv.slice(2);
const own = join(dirname(fileURLToPath(import.meta.url)), 'page');
const text = file => readFileSync(file, 'utf8');

const { bytes, places } = withMultiplyAdds(readFileSync(glue.replace(/\.js$/, '.wasm')));

// Compresses with the options that page/lzma.js supports.
function packed(input) {
  const options = ['--format=lzma', '--lzma1=preset=9e,lc=3,lp=0,pb=0', '--stdout'];
  return execFileSync('xz', options, { input, maxBuffer: input.length });
}

// The weight hash of each command in docs/results.md.
const recorded = {};
for (const [, command, digest] of text(join(root, 'docs/results.md')).matchAll(
  /^\| `([^`]+)` \| `([0-9a-f]{16})` \|/gm,
))
  recorded[`train ${command}`] = digest;

// The data of the first lesson, so that its graph is drawn before the command is ready.
async function firstLesson() {
  const lessons = text(join(own, 'home/lessons.js'));
  const [, expression, values] = /'neuron', "'([^']+)' ([^"]+)"/.exec(lessons);
  const machine = await createRequire(import.meta.url)(resolve(glue))({ wasmBinary: bytes });
  machine.callMain(['explain', expression, ...values.split(' '), '--out', '/first.html']);
  const page = machine.FS.readFile('/first.html', { encoding: 'utf8' });
  return JSON.parse(/id="data">(.*?)<\/script>/s.exec(page)[1]);
}

const script = source => source.replaceAll('</script', '<\\/script');
const tabs = ['home', 'train', 'exercises']; // Compare has no own styles
const sharedStyles = [
  ...['base', 'attention/attention', 'charts/charts'],
  ...['explain', 'explain_graph', 'explain_numbers', 'explain_print'].map(name => `explain/${name}`),
];
const styles = [
  ...sharedStyles.map(name => join(shared, `${name}.css`)),
  join(own, 'page.css'),
  ...tabs.map(tab => join(own, tab, `${tab}.css`)),
];
const translations = readdirSync(join(shared, 'words'))
  .filter(name => /^words_\w+\.js$/.test(name) && name !== 'words_en.js')
  .map(name => name.replace('.js', ''));
// Scripts come after the scripts whose names they use while loading.
const explainer = [
  ...['trace', 'scope', 'timeline', 'layout', 'maps', 'spin', 'node', 'graph', 'sentences'],
  ...['caption', 'predict', 'element_view', 'jacobian', 'panel', 'explainer'],
];
const scripts = [
  ...[
    'elements',
    ...['words_en', ...translations, 'words'].map(name => `words/${name}`),
    ...['fingers', 'sections', 'attention/images', 'attention/attention'],
    ...['axes', 'view', 'charts'].map(name => `charts/${name}`),
    ...explainer.map(name => `explain/${name}`),
  ].map(name => join(shared, name)),
  ...[
    ...['engine', 'zip', 'command_line', 'shell'],
    ...['lessons', 'expression', 'home'].map(name => `home/${name}`),
    ...['data', 'fields', 'archive', 'model', 'pages'].map(name => `train/${name}`),
    'train/train',
    'compare/compare',
    ...['learner', 'tasks', 'course_text', 'by_hand', 'rule', 'fault', 'puzzle'].map(name => `exercises/${name}`),
    ...['hand_in', 'sheet', 'sheet_print', 'sheet_editor', 'grade', 'exercises'].map(name => `exercises/${name}`),
    ...['terminal', 'start'],
  ].map(name => join(own, name)),
].map(name => `${name}.js`);
// All scripts share one scope, in which a second function of the same name replaces the first.
const declaration = /^(?:async )?(?:function|class|const|let) (\w+)/gm;
const seen = new Set();
for (const [, name] of scripts.map(text).join('\n').matchAll(declaration)) {
  if (seen.has(name)) throw new Error(`two scripts define ${name}`);
  seen.add(name);
}
const workerScripts = ['lzma', 'worker'].map(name => join(own, `${name}.js`));
const module = { size: bytes.length, places };
const data = { recorded, module, first: await firstLesson() };
const parts = {
  style: styles.map(text).join('\n'),
  data: JSON.stringify(data).replaceAll('<', '\\u003c'),
  module: packed(bytes).toString('base64'),
  worker: script([text(glue), fuse, ...workerScripts.map(text)].join('\n')),
  script: script(scripts.map(text).join('\n')),
};
const page = text(join(own, 'page.html')).replace(/\{(\w+)\}/g, (_, name) => parts[name]);
writeFileSync(out, page);
const kilobytes = size => `${Math.round(size / 1000)} kB`;
console.log(
  `${out}: ${kilobytes(page.length)}, ${kilobytes(gzipSync(page, { level: 9 }).length)} compressed`,
);
