/** The size of an image by its own header; `more` when the header goes on behind these bytes, null when it is none. */
export type ImageSize = Size | 'more' | null;

interface Size {
  readonly width: number;
  readonly height: number;
}

type Measure = (head: Buffer) => ImageSize;

function size(width: number, height: number): Size | null {
  return width > 0 && height > 0 ? { width, height } : null;
}

/** Where a header needs more bytes than are there. */
function within(bytes: number, measure: Measure): Measure {
  return (head) => (head.length < bytes ? 'more' : measure(head));
}

const png = within(24, (head) => {
  const isHeader = head.readUInt32BE(8) === 13 && head.toString('latin1', 12, 16) === 'IHDR';
  return isHeader ? size(head.readUInt32BE(16), head.readUInt32BE(20)) : null;
});

/** How many bytes a table of colours takes, by the field that says whether there is one. */
function colours(packed: number): number {
  return (packed & 0x80) === 0 ? 0 : 3 << ((packed & 7) + 1);
}

/** The screen, or the first frame where that is larger: a frame may reach beyond its screen, and is drawn all the same. */
const gif = within(13, (head) => {
  for (let at = 13 + colours(head[10] ?? 0); ; ) {
    if (at + 9 > head.length) return 'more';
    if (head[at] === 0x2c) {
      const right = head.readUInt16LE(at + 1) + head.readUInt16LE(at + 5);
      const bottom = head.readUInt16LE(at + 3) + head.readUInt16LE(at + 7);
      return size(Math.max(head.readUInt16LE(6), right), Math.max(head.readUInt16LE(8), bottom));
    }
    // Neither an extension nor a frame, or the end before any.
    if (head[at] !== 0x21) return null;
    at += 2;
    // Its pieces, each with its length before it, up to the empty one.
    for (let length = head[at]; length !== 0; length = head[at]) {
      if (length === undefined) return 'more';
      at += 1 + length;
    }
    at += 1;
  }
});

const bmp = within(26, (head) => {
  if (head.readUInt32LE(14) === 12) return size(head.readUInt16LE(18), head.readUInt16LE(20));
  // Rows from the top down have a negative height.
  return size(Math.abs(head.readInt32LE(18)), Math.abs(head.readInt32LE(22)));
});

const webp = within(30, (head) => {
  const kind = head.toString('latin1', 12, 16);
  if (kind === 'VP8X') return size(head.readUIntLE(24, 3) + 1, head.readUIntLE(27, 3) + 1);
  if (kind === 'VP8L') {
    const bits = head.readUInt32LE(21);
    return head[20] === 0x2f ? size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1) : null;
  }
  const isFrame = kind === 'VP8 ' && head.readUIntBE(23, 3) === 0x9d012a;
  return isFrame ? size(head.readUInt16LE(26) & 0x3fff, head.readUInt16LE(28) & 0x3fff) : null;
});

/** Start of a frame, of whatever coding; 0xc4, 0xc8 and 0xcc are tables. */
function isFrameStart(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Segment after segment up to the first frame. */
function jpeg(head: Buffer): ImageSize {
  for (let at = 2; ; ) {
    if (at + 9 > head.length) return 'more';
    if (head[at] !== 0xff) return null;
    const marker = head[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isFrameStart(marker)) return size(head.readUInt16BE(at + 7), head.readUInt16BE(at + 5));
    const length = head.readUInt16BE(at + 2);
    // The image itself, or its end, before any frame: there is none.
    if (marker === 0xda || marker === 0xd9 || length < 2) return null;
    at += 2 + length;
  }
}

interface Box {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

function boxAt(head: Buffer, at: number): Box | 'more' | null {
  if (at + 16 > head.length) return 'more';
  const small = head.readUInt32BE(at);
  const isLarge = small === 1;
  const length = isLarge ? Number(head.readBigUInt64BE(at + 8)) : small;
  const start = at + (isLarge ? 16 : 8);
  if (length < start - at || !Number.isSafeInteger(length)) return null;
  return { type: head.toString('latin1', at + 4, at + 8), start, end: at + length };
}

/** Where boxes lie in each other: the sizes of all images of the file are in `meta/iprp/ipco/ispe`. */
const holders: Readonly<Record<string, number>> = { meta: 4, iprp: 0, ipco: 0 };

/** The largest of all images in a file of the HEIF family. */
function heif(head: Buffer): ImageSize {
  let largest: Size | null = null;
  const open: { at: number; end: number }[] = [{ at: 0, end: Number.POSITIVE_INFINITY }];
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    if (level.at + 8 > level.end) {
      open.pop();
      if (open.length === 1) return largest;
      continue;
    }
    const box = boxAt(head, level.at);
    if (box === 'more' || box === null) return box;
    level.at = box.end;
    const inner = holders[box.type];
    if (inner !== undefined) open.push({ at: box.start + inner, end: box.end });
    if (box.type !== 'ispe') continue;
    if (box.start + 12 > head.length) return 'more';
    const [width, height] = [head.readUInt32BE(box.start + 4), head.readUInt32BE(box.start + 8)];
    if (largest === null || width * height > largest.width * largest.height) largest = size(width, height) ?? largest;
  }
  return largest;
}

const measures: Readonly<Record<string, Measure>> = {
  'image/png': png,
  'image/jpeg': jpeg,
  'image/gif': gif,
  'image/webp': webp,
  'image/bmp': bmp,
  'image/avif': heif,
  'image/heic': heif,
};

/** Reads the size of an image of this type from the beginning of its bytes, and decodes nothing. */
export function imageSize(mime_type: string, head: Buffer): ImageSize {
  return measures[mime_type]?.(head) ?? null;
}
