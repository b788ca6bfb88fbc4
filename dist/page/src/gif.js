// Pictures that move, as GIF (89a, with Netscape's loop): one palette for all frames, LZW as its appendix F has it.

/** Writes bytes, and codes of changing width from the lowest bit on in blocks of up to 255 bytes. */
class Out {
  bytes = [];
  word(value) { this.bytes.push(value & 255, value >> 8); }
  text(text) { for (const c of text) this.bytes.push(c.charCodeAt(0)); }
  blocks(bytes) {
    for (let at = 0; at < bytes.length; at += 255) {
      const part = bytes.slice(at, at + 255);
      this.bytes.push(part.length);
      for (const byte of part) this.bytes.push(byte);
    }
    this.bytes.push(0);
  }
}

/** Indices of eight bits, compressed. */
function lzw(indices) {
  const clear = 256, end = 257, bytes = [];
  let held = 0, bits = 0, width = 9, known = new Map(), next = 258;
  const put = (code) => {
    held |= code << bits;
    bits += width;
    while (bits >= 8) {
      bytes.push(held & 255);
      held >>>= 8;
      bits -= 8;
    }
  };
  put(clear);
  let prefix = indices[0];
  for (let i = 1; i < indices.length; i++) {
    const key = (prefix << 8) | indices[i], code = known.get(key);
    if (code !== undefined) {
      prefix = code;
      continue;
    }
    put(prefix);
    if (next < 4096) {
      known.set(key, next);
      if (next++ === 1 << width) width++;
    } else {
      put(clear);
      [known, next, width] = [new Map(), 258, 9];
    }
    prefix = indices[i];
  }
  put(prefix);
  put(end);
  if (bits) bytes.push(held & 255);
  return bytes;
}

/** A GIF that loops: frames are indices into a palette of 256 colours (768 numbers), each seen for some hundredths of a second. */
export function gif(width, height, palette, frames, hundredths) {
  const out = new Out();
  out.text("GIF89a");
  out.word(width);
  out.word(height);
  out.bytes.push(0xf7, 0, 0, ...palette);
  out.bytes.push(0x21, 0xff, 11);
  out.text("NETSCAPE2.0");
  out.bytes.push(3, 1, 0, 0, 0);
  for (const indices of frames) {
    out.bytes.push(0x21, 0xf9, 4, 0);
    out.word(hundredths);
    out.bytes.push(0, 0, 0x2c);
    for (const value of [0, 0, width, height]) out.word(value);
    out.bytes.push(0, 8);
    out.blocks(lzw(indices));
  }
  out.bytes.push(0x3b);
  return Uint8Array.from(out.bytes);
}
