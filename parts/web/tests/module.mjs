// Loads a WebAssembly module of the command in node.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';

const require = createRequire(import.meta.url);
setFlagsFromString('--experimental-wasm-relaxed-simd'); // enabled by default in newer versions

// Returns a function that runs a command line and returns { status, out }; null if this node
// doesn't support the module's instructions. `glueFile` is the script next to the module.
export async function loaded(glueFile) {
  const bytes = readFileSync(glueFile.replace(/\.js$/, '.wasm'));
  if (!WebAssembly.validate(bytes)) return null;
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
