// Zip files, read and written: stored or deflated entries, which is what systems write. Sizes up to 2 GB.

const utf8 = new TextEncoder();

let table = null;
function crc32(bytes) {
  table ??= Uint32Array.from({ length: 256 }, (_, n) => {
    for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
    return n;
  });
  let crc = -1;
  for (const byte of bytes) crc = table[(crc ^ byte) & 255] ^ (crc >>> 8);
  return (crc ^ -1) >>> 0;
}

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/** The files of an archive, as [path, bytes]; whatever is damaged, encrypted or of another making is an error. */
export async function unzip(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) throw new Error("this is not a zip file, or it is cut off");
  const count = view.getUint16(end + 10, true), found = [];
  let at = view.getUint32(end + 16, true);
  for (let k = 0; k < count; k++) {
    if (view.getUint32(at, true) !== 0x02014b50) throw new Error("the zip file is damaged");
    const flags = view.getUint16(at + 8, true), method = view.getUint16(at + 10, true), sum = view.getUint32(at + 16, true);
    const packed = view.getUint32(at + 20, true), size = view.getUint32(at + 24, true), local = view.getUint32(at + 42, true);
    const [name, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
    const path = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + name));
    at += 46 + name + extra + comment;
    if (path.endsWith("/")) continue;
    if (flags & 1) throw new Error(`${path} is encrypted`);
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const body = bytes.subarray(start, start + packed);
    if (method !== 0 && method !== 8) throw new Error(`${path} is packed in a way that is not known here (${method})`);
    const content = method === 0 ? body.slice() : await through(new DecompressionStream("deflate-raw"), body);
    if (content.length !== size || crc32(content) !== sum) throw new Error(`${path} is damaged`);
    found.push([path, content]);
  }
  return found;
}

/** An archive of [path, bytes]. */
export async function zip(files) {
  const pieces = [], directory = [];
  let offset = 0;
  for (const [path, content] of files) {
    const name = utf8.encode(path), packed = await through(new CompressionStream("deflate-raw"), content);
    const head = new DataView(new ArrayBuffer(26));
    // Version 2.0, names in UTF-8, deflated, of 1980: when it was made is nobody's business.
    [[0, 20], [2, 0x800], [4, 8], [8, 33]].forEach(([field, value]) => head.setUint16(field, value, true));
    [[10, crc32(content)], [14, packed.length], [18, content.length]].forEach(([field, value]) => head.setUint32(field, value, true));
    head.setUint16(22, name.length, true);
    const shared = new Uint8Array(head.buffer);
    pieces.push(Uint8Array.of(0x50, 0x4b, 3, 4), shared, name, packed);
    const rest = new DataView(new ArrayBuffer(14));
    rest.setUint32(10, offset, true);
    directory.push(Uint8Array.of(0x50, 0x4b, 1, 2, 20, 0), shared, new Uint8Array(rest.buffer), name);
    offset += 30 + name.length + packed.length;
  }
  const length = directory.reduce((sum, piece) => sum + piece.length, 0);
  const end = new DataView(new ArrayBuffer(22));
  [[0, 0x06054b50], [12, length], [16, offset]].forEach(([field, value]) => end.setUint32(field, value, true));
  [8, 10].forEach((field) => end.setUint16(field, files.length, true));
  return new Blob([...pieces, ...directory, end.buffer], { type: "application/zip" });
}
