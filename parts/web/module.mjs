// Loads a WebAssembly module of the command in node.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { fuse, withMultiplyAdds } from './multiply_adds.mjs';

const require = createRequire(import.meta.url);
setFlagsFromString('--experimental-wasm-relaxed-simd'); // enabled by default in newer versions

// Returns a function that runs a command line and returns { status, out }; null if this node
// doesn't support relaxed SIMD, which a module with fused multiply-adds uses. `glueFile` is the script next to the module.
export async function loaded(glueFile, isFused) {
  const { bytes, places } = withMultiplyAdds(readFileSync(glueFile.replace(/\.js$/, '.wasm')));
  if (isFused) fuse(bytes, places);
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
