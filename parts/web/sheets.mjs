// Writes the printable worksheet of the class kit, docs/learn/class-kit.md.
//   node sheets.mjs OUT.html COMMAND.js
// COMMAND.wasm is next to its script.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { loaded } from './module.mjs';

const [out, glue] = process.argv.slice(2);
const run = await loaded(resolve(glue), false);
const printed = line => run(line.split(' ')).out;
const escaped = text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const [fault] = printed('learn fault --seed 38').split('\n\nAnswer ');
mkdirSync(dirname(out), { recursive: true });
writeFileSync(
  out,
  `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Find a wrong gradient</title>
<link rel="icon" href="data:,">
<style>
body { max-width: 50em; margin: 2em auto; padding: 0 1em; font: 1em/1.4 system-ui, sans-serif; }
h1 { font-size: 1.4em; }
pre { font: .9em/1.4 ui-monospace, monospace; white-space: pre-wrap; }
section + section { break-before: page; }
</style>
<section>
<h1>Find a wrong gradient</h1>
<pre>${escaped(fault)}</pre>
<p>Line: ____________ Kind: ____________</p>
</section>
<section>
<h1>Kinds of faults</h1>
<pre>${escaped(printed('learn fault --kinds'))}</pre>
</section>
</html>
`,
);
