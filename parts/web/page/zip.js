// ZIP archives (APPNOTE 6.3.9). Writes uncompressed files; reads files uncompressed or compressed
// with DEFLATE.

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; ++k) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});
function crcOf(bytes) {
  let crc = ~0;
  for (const byte of bytes) crc = crcTable[(crc ^ byte) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

// Encodes numbers as little-endian bytes. A field is [bits, value]; bits is 16 or 32.
function littleEndian(...fields) {
  const bytes = [];
  for (const [bits, value] of fields)
    for (let shift = 0; shift < bits; shift += 8) bytes.push((value >>> shift) & 255);
  return Uint8Array.from(bytes);
}

// Returns an archive of files { name, bytes }.
function zipped(files) {
  const parts = [];
  const directory = [];
  let at = 0;
  const add = (list, ...pieces) => {
    for (const piece of pieces) list.push(piece);
    return pieces.reduce((sum, piece) => sum + piece.length, 0);
  };
  let size = 0;
  for (const { name, bytes } of files) {
    const path = new TextEncoder().encode(name);
    const utf8 = 1 << 11;
    const about = [[16, utf8], [16, 0], [16, 0], [16, 33], [32, crcOf(bytes)]]; // 1 January 1980
    const sizes = [[32, bytes.length], [32, bytes.length], [16, path.length], [16, 0]];
    const local = littleEndian([32, 0x04034b50], [16, 20], ...about, ...sizes);
    const central = littleEndian(
      [32, 0x02014b50], [16, 20], [16, 20], ...about, ...sizes, [16, 0], [16, 0], [16, 0], [32, 0],
      [32, at],
    );
    at += add(parts, local, path, bytes);
    size += add(directory, central, path);
  }
  const count = files.length;
  const end = littleEndian(
    [32, 0x06054b50], [16, 0], [16, 0], [16, count], [16, count], [32, size], [32, at], [16, 0],
  );
  return new Blob([...parts, ...directory, end], { type: 'application/zip' });
}

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Returns the files of an archive. Throws an Error if the bytes aren't an archive or are damaged.
async function unzipped(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) --end;
  if (end < 0) throw new Error(t('shell').notZip);
  const files = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; --left) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50)
      throw new Error(t('shell').damaged(''));
    const method = view.getUint16(at + 10, true);
    const crc = view.getUint32(at + 16, true);
    const packed = view.getUint32(at + 20, true);
    const length = view.getUint16(at + 28, true);
    const local = view.getUint32(at + 42, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + length));
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (name.endsWith('/')) continue;
    if (name.startsWith('/') || name.split('/').includes('..'))
      throw new Error(t('shell').outside(name));
    if (local + 30 > bytes.length) throw new Error(t('shell').damaged(''));
    const begin = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const content = bytes.subarray(begin, begin + packed);
    if (method !== 0 && method !== 8) throw new Error(t('shell').compression(name));
    const whole = method === 8 ? await inflated(content) : content;
    if (crcOf(whole) !== crc) throw new Error(t('shell').damaged(name));
    files.push({ name, bytes: whole });
  }
  return files;
}
