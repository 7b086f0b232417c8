// Decodes LZMA, which compresses the command by a quarter more than gzip, the best format that all
// browsers can decode. The format is described in the LZMA SDK, https://www.7-zip.org/sdk.html.

// Reads bits from compressed bytes. Each bit has a chance to be 0, which adapts to the bits before.
class RangeDecoder {
  constructor(bytes, at, chances) {
    this.bytes = bytes;
    this.at = at + 5;
    this.chances = new Uint16Array(chances).fill(1024); // of 2048
    this.range = -1; // both are unsigned, as are all results of `>>>`
    this.code = new DataView(bytes.buffer).getInt32(at + 1);
  }
  shift() {
    if (this.range >>> 24 !== 0) return;
    this.range <<= 8;
    this.code = (this.code << 8) | this.bytes[this.at++];
  }
  bit(i) {
    const chance = this.chances[i];
    const bound = Math.imul(this.range >>> 11, chance);
    const isOne = this.code >>> 0 >= bound >>> 0;
    if (isOne) {
      this.range = (this.range - bound) | 0;
      this.code = (this.code - bound) | 0;
      this.chances[i] -= chance >>> 5;
    } else {
      this.range = bound;
      this.chances[i] += (2048 - chance) >>> 5;
    }
    this.shift();
    return isOne ? 1 : 0;
  }
  // Reads a number, the highest bit first. The chances of a bit depend on the bits before it.
  number(i, bits) {
    let node = 1;
    while (node < 1 << bits) node = (node << 1) | this.bit(i + node);
    return node - (1 << bits);
  }
  // Reads a number, the lowest bit first.
  reversedNumber(i, bits) {
    let node = 1;
    let result = 0;
    for (let k = 0; k < bits; ++k) {
      const bit = this.bit(i + node);
      node = (node << 1) | bit;
      result |= bit << k;
    }
    return result;
  }
  // Reads a number whose bits are 0 or 1 with equal chances.
  plainNumber(bits) {
    let result = 0;
    for (let k = 0; k < bits; ++k) {
      this.range >>>= 1;
      const isOne = this.code >>> 0 >= this.range >>> 0;
      if (isOne) this.code = (this.code - this.range) | 0;
      result = (result << 1) | (isOne ? 1 : 0);
      this.shift();
    }
    return result;
  }
}

// Where the chances of each kind of number begin.
const chancesOf = {
  match: 0, // these six have an entry for each of 12 states
  repeated: 12,
  first: 24,
  second: 36,
  third: 48,
  byte: 60,
  distanceSlot: 72,
  distance: 328,
  distanceEnd: 444,
  length: 460,
  repeatedLength: 734,
  literal: 1008,
  end: 1008 + 8 * 768,
};

// Returns the decoded bytes of an .lzma file with the options lc=3, lp=0 and pb=0.
function unpacked(bytes, size) {
  const headerSize = 13;
  const decoder = new RangeDecoder(bytes, headerSize, chancesOf.end);
  const result = new Uint8Array(size);
  const readLength = i => {
    if (decoder.bit(i) === 0) return 2 + decoder.number(i + 2, 3);
    if (decoder.bit(i + 1) === 0) return 10 + decoder.number(i + 10, 3);
    return 18 + decoder.number(i + 18, 8);
  };
  const readDistance = length => {
    const slot = decoder.number(chancesOf.distanceSlot + Math.min(length - 2, 3) * 64, 6);
    if (slot < 4) return slot + 1;
    const bits = (slot >> 1) - 1;
    const begin = (2 | (slot & 1)) << bits;
    if (slot < 14) return begin + decoder.reversedNumber(chancesOf.distance + begin - slot, bits) + 1;
    const high = decoder.plainNumber(bits - 4) << 4;
    return begin + high + decoder.reversedNumber(chancesOf.distanceEnd, 4) + 1;
  };
  // Reads a byte. If it follows a match, it probably differs from the byte after the match's source.
  const readLiteral = (before, expected) => {
    const i = chancesOf.literal + (before >> 5) * 768;
    let node = 1;
    for (let mask = 256; expected !== null && node < 256;) {
      expected <<= 1;
      const bit = decoder.bit(i + mask + (expected & mask) + node);
      node = (node << 1) | bit;
      if (bit << 8 !== (expected & mask)) expected = null;
    }
    while (node < 256) node = (node << 1) | decoder.bit(i + node);
    return node & 255;
  };

  let state = 0; // what the last numbers were: 0 to 6 after a literal
  const distances = new Uint32Array(4).fill(1); // the last four
  for (let at = 0; at < size;) {
    if (decoder.bit(chancesOf.match + state) === 0) {
      const expected = state < 7 ? null : result[at - distances[0]];
      result[at] = readLiteral(at > 0 ? result[at - 1] : 0, expected);
      ++at;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    const isAfterLiteral = state < 7;
    let length;
    if (decoder.bit(chancesOf.repeated + state) === 0) {
      length = readLength(chancesOf.length);
      distances.copyWithin(1, 0, 3);
      distances[0] = readDistance(length);
      state = isAfterLiteral ? 7 : 10;
    } else {
      let which = 0;
      while (which < 3 && decoder.bit(chancesOf.first + 12 * which + state) === 1) ++which;
      const isByte = which === 0 && decoder.bit(chancesOf.byte + state) === 0;
      length = isByte ? 1 : readLength(chancesOf.repeatedLength);
      const distance = distances[which];
      distances.copyWithin(1, 0, which);
      distances[0] = distance;
      state = isAfterLiteral ? (isByte ? 9 : 8) : 11;
    }
    for (const end = at + length; at < end; ++at) result[at] = result[at - distances[0]];
  }
  return result;
}
