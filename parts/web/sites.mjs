// Where the multiply-adds of a module are, and what may stand there: see core/kernels/wasm.cpp.
import { execFileSync } from 'node:child_process';

const sections = { import: 2, export: 7, code: 10 };

// A reader of the numbers and names that a module's sections begin with.
class Reader {
  constructor(bytes, at) {
    Object.assign(this, { bytes, at });
  }
  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++];
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  }
  name() {
    const length = this.number();
    this.at += length;
    return Buffer.from(this.bytes.subarray(this.at - length, this.at)).toString();
  }
}

// Where the content of a section begins.
function sectionOf(bytes, wanted) {
  for (const reader = new Reader(bytes, 8); reader.at < bytes.length; ) {
    const section = bytes[reader.at++];
    const size = reader.number();
    if (section === wanted) return reader.at;
    reader.at += size;
  }
  throw new Error(`the module has no section ${wanted}`);
}

function exportedFunctions(bytes) {
  const reader = new Reader(bytes, sectionOf(bytes, sections.export));
  const numbers = {};
  for (let left = reader.number(); left > 0; --left) {
    const name = reader.name();
    const kind = bytes[reader.at++];
    const number = reader.number();
    if (kind === 0) numbers[name] = number;
  }
  return numbers;
}

// A call in three bytes: the number of the function takes two, of seven bits each.
function callOf(number) {
  if (!(number < 1 << 14)) throw new Error(`no call of three bytes calls function ${number}`);
  return [0x10, (number & 127) | 128, number >> 7];
}

const kinds = [
  { proposed: 'fd af 01', instruction: [0xfd, 0x85, 0x02], exact: 'fma_f32x4' },
  { proposed: 'fd cf 01', instruction: [0xfd, 0x87, 0x02], exact: 'fma_f64x2' },
];

// Emscripten shortens the names of what a module exports; its glue knows them.
function shortName(glue, name) {
  const call = new RegExp(`Module\\["_${name}"\\]\\)?=.*?Module\\["asm"\\]\\["(\\w+)"\\]`);
  return call.exec(glue)?.[1];
}

// For each width of a multiply-add: the instruction, the call, and the places of both in the file.
// They are found by a disassembler, since the same bytes may be part of a constant.
export function sitesOf(file, bytes, glue, objdump) {
  const lines = execFileSync(objdump, ['--disassemble', file], {
    encoding: 'latin1',
    maxBuffer: 2 ** 30,
  });
  const begin = sectionOf(bytes, sections.code);
  const functions = exportedFunctions(bytes);
  return kinds.map(({ proposed, instruction, exact }) => {
    const pattern = new RegExp(`^ *([0-9a-f]+): ${proposed}\\b`, 'gm');
    const places = [...lines.matchAll(pattern)].map(found => begin + parseInt(found[1], 16));
    const expected = proposed.split(' ').map(byte => parseInt(byte, 16));
    for (const place of places)
      if (expected.some((byte, i) => bytes[place + i] !== byte))
        throw new Error(`${file}: no multiply-add at ${place}`);
    return { instruction, call: callOf(functions[shortName(glue, exact)]), places };
  });
}
