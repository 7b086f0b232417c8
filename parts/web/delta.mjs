// Encodes a WebAssembly module as its difference from another. Both contain the same functions
// except for the kernels, but calls differ, since functions are numbered.
const block = 24; // bytes that must agree to align the modules
const window = 64; // bytes to judge an alignment by

// Returns positions in `bytes` by the hash of the block that starts there.
function blocksOf(bytes) {
  const places = new Map();
  for (let at = 0; at + block <= bytes.length; at += 4) {
    const key = bytes.toString('latin1', at, at + block);
    if (!places.has(key)) places.set(key, at);
  }
  return places;
}

// Returns whether at least half of the next bytes agree.
function isAligned(old, bytes, at, shift) {
  let same = 0;
  const end = Math.min(at + window, bytes.length);
  for (let i = at; i < end; ++i) if (bytes[i] === old[i + shift]) ++same;
  return 2 * same >= end - at;
}

// Returns { spans, difference }: for the bytes before `end` of each span [end, shift],
// bytes[i] = old[i + shift] + difference[i], modulo 256.
export function deltaOf(old, bytes) {
  const places = blocksOf(old);
  const spans = [];
  let shift = 0;
  for (let at = 0; at < bytes.length; ++at) {
    if (bytes[at] === old[at + shift] || isAligned(old, bytes, at, shift)) continue;
    const place = places.get(bytes.toString('latin1', at, at + block));
    if (place === undefined || place - at === shift) continue;
    spans.push([at, shift]);
    shift = place - at;
  }
  spans.push([bytes.length, shift]);
  const difference = Buffer.alloc(bytes.length);
  let at = 0;
  for (const [end, shift] of spans)
    for (; at < end; ++at) difference[at] = bytes[at] - (old[at + shift] ?? 0);
  return { spans, difference };
}
