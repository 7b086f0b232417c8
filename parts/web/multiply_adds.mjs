// Finds the multiply-adds of a WebAssembly module, which are calls of two exported functions (see
// core/kernels/wasm.cpp), so that the page can replace them by faster instructions.
const names = ['fma_f32x4', 'fma_f64x2'];

// Replaces calls at these places, from withMultiplyAdds, by the instructions f32x4.relaxed_madd and
// f64x2.relaxed_madd.
export function fuse(bytes, places) {
  places.forEach((distances, i) => {
    let at = 0;
    for (const distance of distances) bytes.set([0xfd, 0x85 + 2 * i, 0x02], (at += distance));
  });
}

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  byte() {
    return this.bytes[this.at++];
  }
  // Reads an unsigned number in LEB128, or skips a signed one.
  number() {
    let result = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      result += (byte & 127) * 2 ** shift;
      if (byte < 128) return result;
    }
  }
  skip(count) {
    this.at += count;
  }
  numbers(count) {
    for (let i = 0; i < count; ++i) this.number();
  }
  text() {
    const length = this.number();
    this.skip(length);
    return Buffer.from(this.bytes.subarray(this.at - length, this.at)).toString();
  }
}

function lebOf(number) {
  const bytes = [];
  for (; number > 127; number >>>= 7) bytes.push((number & 127) | 128);
  return Buffer.from([...bytes, number]);
}

// ---- instructions

const call = 0x10;

// How many LEB128 numbers follow an opcode, by ranges [first, last, count].
const plain = [
  [0x00, 0x01, 0], // unreachable, nop
  [0x02, 0x04, 1], // block, loop, if
  [0x05, 0x05, 0], // else
  [0x06, 0x09, 1], // try, catch, throw, rethrow
  [0x0b, 0x0b, 0], // end
  [0x0c, 0x0d, 1], // br, br_if
  [0x0f, 0x0f, 0], // return
  [0x11, 0x11, 2], // call_indirect
  [0x18, 0x18, 1], // delegate
  [0x19, 0x1b, 0], // catch_all, drop, select
  [0x20, 0x26, 1], // locals, globals, tables
  [0x28, 0x3e, 2], // loads, stores
  [0x3f, 0x42, 1], // memory.size, memory.grow, i32.const, i64.const
  [0x45, 0xc4, 0], // arithmetic
  [0xd0, 0xd0, 1], // ref.null
  [0xd1, 0xd1, 0], // ref.is_null
  [0xd2, 0xd2, 1], // ref.func
];
const afterFc = [
  [0, 7, 0], // truncations
  [8, 8, 2], // memory.init
  [9, 9, 1], // data.drop
  [10, 10, 2], // memory.copy
  [11, 11, 1], // memory.fill
];

function countIn(ranges, code) {
  const found = ranges.find(([first, last]) => first <= code && code <= last);
  if (!found) throw new Error(`unknown WebAssembly instruction 0x${code.toString(16)}`);
  return found[2];
}

function skipVectorOperands(reader) {
  const code = reader.number();
  const isLane = (code >= 0x15 && code <= 0x22) || (code >= 0x54 && code <= 0x5b);
  const isInMemory = code <= 0x0b || (code >= 0x54 && code <= 0x5d);
  if (isInMemory) reader.numbers(2);
  if (code === 0x0c || code === 0x0d) reader.skip(16); // v128.const, i8x16.shuffle
  if (isLane) reader.skip(1);
}

function skipOperands(reader, opcode) {
  if (opcode === 0xfd) return skipVectorOperands(reader);
  if (opcode === 0xfc) return reader.numbers(countIn(afterFc, reader.number()));
  if (opcode === 0x43) return reader.skip(4); // f32.const
  if (opcode === 0x44) return reader.skip(8); // f64.const
  if (opcode === 0x0e) return reader.numbers(reader.number() + 1); // br_table
  return reader.numbers(countIn(plain, opcode));
}

// ---- sections

const [exportSection, codeSection] = [7, 10];

// Returns the numbers of the functions that compute multiply-adds.
function multiplyAddFunctions(reader) {
  const found = new Map();
  for (let count = reader.number(); count > 0; --count) {
    const name = reader.text();
    const kind = reader.byte();
    const index = reader.number();
    if (kind === 0) found.set(name, index);
  }
  return names.map(name => {
    if (!found.has(name)) throw new Error(`the module doesn't export ${name}`);
    return found.get(name);
  });
}

// Collects pieces of a file, and knows their length.
class Writer {
  pieces = [];
  length = 0;
  add(piece) {
    this.pieces.push(piece);
    this.length += piece.length;
  }
  bytes() {
    return Buffer.concat(this.pieces);
  }
}

// Copies the body of a function. Calls of multiply-adds get three bytes, as many as an instruction
// has. Returns { bytes, places }; places are [kind, offset].
function withLongCalls(body, functions) {
  const reader = new Reader(body);
  const result = new Writer();
  const places = [];
  let copied = 0;
  for (let count = reader.number(); count > 0; --count) reader.numbers(2); // local variables
  while (reader.at < body.length) {
    const start = reader.at;
    const opcode = reader.byte();
    if (opcode !== call) {
      skipOperands(reader, opcode);
      continue;
    }
    const index = reader.number();
    const kind = functions.indexOf(index);
    if (kind < 0) continue;
    if (index >= 1 << 14) throw new Error(`calls of ${names[kind]}, function ${index}, are too long`);
    result.add(body.subarray(copied, start));
    places.push([kind, result.length]);
    result.add(Buffer.from([call, (index & 127) | 128, index >> 7]));
    copied = reader.at;
  }
  result.add(body.subarray(copied));
  return { bytes: result.bytes(), places };
}

// Returns { bytes, places }: the module with long calls of multiply-adds and, for each of `names`,
// the offsets of its calls, each as the distance from the one before.
export function withMultiplyAdds(module) {
  const reader = new Reader(module);
  reader.skip(8);
  const result = new Writer();
  result.add(module.subarray(0, 8));
  const places = names.map(() => []);
  let functions;
  while (reader.at < module.length) {
    const start = reader.at;
    const id = reader.byte();
    const end = reader.number() + reader.at;
    if (id === exportSection) functions = multiplyAddFunctions(reader);
    if (id === codeSection) {
      const bodies = Array.from({ length: reader.number() }, () => {
        const size = reader.number();
        reader.skip(size);
        return withLongCalls(module.subarray(reader.at - size, reader.at), functions);
      });
      const count = lebOf(bodies.length);
      const sizes = bodies.map(body => lebOf(body.bytes.length));
      const total = bodies.reduce((sum, { bytes }, i) => sum + sizes[i].length + bytes.length, 0);
      result.add(Buffer.concat([Buffer.from([id]), lebOf(count.length + total), count]));
      bodies.forEach((body, i) => {
        result.add(sizes[i]);
        for (const [kind, offset] of body.places) places[kind].push(result.length + offset);
        result.add(body.bytes);
      });
    } else {
      result.add(module.subarray(start, end));
    }
    reader.at = end;
  }
  const distances = list => list.map((offset, i) => offset - (list[i - 1] ?? 0));
  return { bytes: result.bytes(), places: places.map(distances) };
}
