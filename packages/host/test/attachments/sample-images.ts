/** The beginnings of images, of any size; nothing that a decoder would need follows. */
function uint(value: number, bytes: number, isLittle = false): Buffer {
  const written = Buffer.alloc(bytes);
  if (isLittle) written.writeUIntLE(value, 0, bytes);
  else written.writeUIntBE(value, 0, bytes);
  return written;
}

const ascii = (text: string) => Buffer.from(text, 'latin1');

export function png(width: number, height: number): Buffer {
  const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const header = [
    uint(13, 4),
    ascii('IHDR'),
    uint(width, 4),
    uint(height, 4),
    Buffer.from([8, 6, 0, 0, 0]),
    uint(0, 4),
  ];
  return Buffer.concat([magic, ...header, uint(0, 4), ascii('IEND'), uint(0xae426082, 4)]);
}

/** A screen with a table of colours, a comment of so many pieces, and a frame of the screen's size or of its own. */
export function gif(
  width: number,
  height: number,
  frame: readonly number[] = [0, 0, width, height],
  pieces = 2,
): Buffer {
  const screen = [uint(width, 2, true), uint(height, 2, true), Buffer.from([0x81, 0, 0]), Buffer.alloc(12, 0x2c)];
  const piece = Buffer.concat([Buffer.from([200]), Buffer.alloc(200, 0x2c)]);
  const comment = [Buffer.from([0x21, 0xfe]), ...Array.from({ length: pieces }, () => piece), Buffer.from([0])];
  const descriptor = [Buffer.from([0x2c]), ...frame.map((value) => uint(value, 2, true)), Buffer.from([0, 2, 0, 0x3b])];
  return Buffer.concat([ascii('GIF89a'), ...screen, ...comment, ...descriptor]);
}

export function bmp(width: number, height: number): Buffer {
  const sizes = Buffer.alloc(8);
  sizes.writeInt32LE(width, 0);
  sizes.writeInt32LE(-height, 4);
  return Buffer.concat([
    ascii('BM'),
    uint(54, 4, true),
    uint(0, 4),
    uint(54, 4, true),
    uint(40, 4, true),
    sizes,
    Buffer.alloc(32),
  ]);
}

/** `before`: bytes of metadata in front of the frame. */
export function jpeg(width: number, height: number, before = 100): Buffer {
  const segments: Buffer[] = [];
  for (let left = before; left > 0; left -= 60_000) {
    const length = Math.min(left, 60_000);
    segments.push(Buffer.from([0xff, 0xe1]), uint(length + 2, 2), Buffer.alloc(length));
  }
  const frame = [
    Buffer.from([0xff, 0xc2]),
    uint(17, 2),
    Buffer.from([8]),
    uint(height, 2),
    uint(width, 2),
    Buffer.alloc(10),
  ];
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...segments, ...frame]);
}

export function webp(kind: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): Buffer {
  const head = [ascii('RIFF'), uint(100, 4, true), ascii('WEBP'), ascii(kind), uint(80, 4, true)];
  if (kind === 'VP8X') {
    return Buffer.concat([...head, uint(0, 4), uint(width - 1, 3, true), uint(height - 1, 3, true), Buffer.alloc(20)]);
  }
  if (kind === 'VP8L') {
    const bits = (width - 1) | ((height - 1) << 14);
    return Buffer.concat([...head, Buffer.from([0x2f]), uint(bits >>> 0, 4, true), Buffer.alloc(20)]);
  }
  const frame = [uint(0, 3), Buffer.from([0x9d, 0x01, 0x2a]), uint(width, 2, true), uint(height, 2, true)];
  return Buffer.concat([...head, ...frame, Buffer.alloc(20)]);
}

function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([uint(body.length + 8, 4), ascii(type), body]);
}

/** A thumbnail and the image itself, each with its size. */
export function heif(brand: string, width: number, height: number): Buffer {
  const size = (w: number, h: number) => box('ispe', uint(0, 4), uint(w, 4), uint(h, 4));
  const properties = box('iprp', box('ipco', size(160, 120), box('colr', Buffer.alloc(30)), size(width, height)));
  const meta = box('meta', uint(0, 4), box('hdlr', Buffer.alloc(24)), properties);
  return Buffer.concat([box('ftyp', ascii(brand), uint(0, 4), ascii('mif1')), meta, box('mdat', Buffer.alloc(64))]);
}
