// A module in node, as the page has it: with the instruction, or with exact calls in its place.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { sitesOf } from '../sites.mjs';

const require = createRequire(import.meta.url);
setFlagsFromString('--experimental-wasm-relaxed-simd'); // which a newer node has without

// A promise of a function that runs a command line: { status, out }. Null where this node doesn't
// know the instruction.
export async function loaded(glueFile, objdump, { isExact }) {
  const file = glueFile.replace(/\.js$/, '.wasm');
  const bytes = readFileSync(file);
  for (const { instruction, call, places } of sitesOf(file, bytes, readFileSync(glueFile, 'utf8'), objdump))
    for (const place of places) bytes.set(isExact ? call : instruction, place);
  if (!isExact && !WebAssembly.validate(bytes)) return null;
  let out = '';
  const machine = await require(glueFile)({
    wasmBinary: bytes,
    print: line => (out += `${line}\n`),
    printErr: line => (out += `${line}\n`),
  });
  return words => {
    out = '';
    const status = machine.callMain(words);
    return { status, out };
  };
}
