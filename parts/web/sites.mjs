// The multiply-adds of a module: calls of exact functions, for which whoever loads the module may
// put the instruction, see core/kernels/functions/fused.hpp. A call that takes two bytes is made
// three, as many as the instruction has.
import { execFileSync } from 'node:child_process';

const sections = { export: 7, code: 10 };

const kinds = [
  { exact: 'fma_f32x4', instruction: [0xfd, 0x85, 0x02] }, // f32x4.relaxed_madd
  { exact: 'fma_f64x2', instruction: [0xfd, 0x87, 0x02] }, // f64x2.relaxed_madd
];

// A reader of numbers and names (LEB128).
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

function encoded(number) {
  const bytes = [];
  for (; number > 127; number >>>= 7) bytes.push((number & 127) | 128);
  return [...bytes, number];
}

// A call in three bytes: the number of the function takes two, of seven bits each.
function callOf(number) {
  if (!(number < 1 << 14)) throw new Error(`no call of three bytes calls function ${number}`);
  return [0x10, (number & 127) | 128, number >> 7];
}

// Where a section begins, and where its content does and ends.
function sectionOf(bytes, wanted) {
  for (const reader = new Reader(bytes, 8); reader.at < bytes.length; ) {
    const begin = reader.at++;
    const size = reader.number();
    if (bytes[begin] === wanted) return { begin, content: reader.at, end: reader.at + size };
    reader.at += size;
  }
  throw new Error(`the module has no section ${wanted}`);
}

function exportedFunctions(bytes) {
  const reader = new Reader(bytes, sectionOf(bytes, sections.export).content);
  const numbers = {};
  for (let left = reader.number(); left > 0; --left) {
    const name = reader.name();
    const kind = bytes[reader.at++];
    const number = reader.number();
    if (kind === 0) numbers[name] = number;
  }
  return numbers;
}

// Emscripten shortens the names of what a module exports; its glue knows them.
function shortName(glue, name) {
  const call = new RegExp(`Module\\["_${name}"\\] ?=[^]*?Module\\["asm"\\]\\["(\\w+)"\\]`);
  return call.exec(glue)?.[1];
}

// All calls, { at, length, number }, as a disassembler finds them: the same bytes may be part of a
// constant. Its addresses begin with the content of the section.
function callsOf(file, objdump, begin) {
  const options = { encoding: 'latin1', maxBuffer: 2 ** 30 };
  const lines = execFileSync(objdump, ['--disassemble', file], options);
  const call = /^ *([0-9a-f]+): ((?:[0-9a-f]{2} )+)\s*call\s+(\d+)/gm;
  return [...lines.matchAll(call)].map(([, at, bytes, number]) => ({
    at: begin + parseInt(at, 16),
    length: bytes.length / 3,
    number: Number(number),
  }));
}

// The module with calls of three bytes, and for each width of a multiply-add: the instruction, the
// call, and the places where one of them stands.
export function withSites(file, bytes, glue, objdump) {
  const { begin, content, end } = sectionOf(bytes, sections.code);
  const functions = exportedFunctions(bytes);
  const sites = kinds.map(({ exact, instruction }) => {
    const number = functions[shortName(glue, exact)];
    return { number, instruction, call: callOf(number), places: [] };
  });
  const calls = callsOf(file, objdump, content).filter(({ number }) =>
    sites.some(site => site.number === number),
  );

  const reader = new Reader(bytes, content);
  const count = reader.number();
  const pieces = [Uint8Array.from(encoded(count))];
  let size = pieces[0].length;
  const add = piece => {
    pieces.push(piece);
    size += piece.length;
  };
  for (let i = 0, next = 0; i < count; ++i) {
    const length = reader.number();
    const last = reader.at + length;
    const here = [];
    for (; next < calls.length && calls[next].at < last; ++next) here.push(calls[next]);
    add(Uint8Array.from(encoded(length + here.reduce((sum, call) => sum + 3 - call.length, 0))));
    for (const { at, length: old, number } of here) {
      add(bytes.subarray(reader.at, at));
      const site = sites.find(each => each.number === number);
      site.places.push(size);
      add(Uint8Array.from(site.call));
      reader.at = at + old;
    }
    add(bytes.subarray(reader.at, last));
    reader.at = last;
  }
  const head = [...bytes.subarray(0, begin), sections.code, ...encoded(size)];
  for (const site of sites) {
    if (site.places.length === 0) throw new Error(`${file}: no multiply-add is a call`);
    site.places = site.places.map(place => head.length + place);
    delete site.number;
  }
  return { bytes: Buffer.concat([Uint8Array.from(head), ...pieces, bytes.subarray(end)]), sites };
}
