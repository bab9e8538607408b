import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { imageSize } from '../../src/attachments/image-size.ts';
import { lookAt } from '../../src/attachments/upload-content.ts';
import { bmp, gif, heif, jpeg, png, webp } from './sample-images.ts';

async function* pieces(bytes: Buffer, length: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function look(bytes: Buffer, content_type: string | null = null, filename = 'file', length = 1000) {
  const { mime_type, content } = await lookAt(pieces(bytes, length), { content_type, filename });
  const read: Uint8Array[] = [];
  for await (const piece of content) read.push(Buffer.from(piece));
  expect(Buffer.concat(read).equals(bytes)).toBe(true);
  return mime_type;
}

const images: [string, (width: number, height: number) => Buffer][] = [
  ['image/png', png],
  ['image/gif', gif],
  ['image/bmp', bmp],
  ['image/jpeg', jpeg],
  ['image/webp', (w, h) => webp('VP8 ', w, h)],
  ['image/webp', (w, h) => webp('VP8L', w, h)],
  ['image/webp', (w, h) => webp('VP8X', w, h)],
  ['image/avif', (w, h) => heif('avif', w, h)],
  ['image/heic', (w, h) => heif('heic', w, h)],
];

describe.each(images)('%s', (type, make) => {
  it('is known by its bytes, whatever is said of it or not, and is kept as it came', async () => {
    expect(await look(make(640, 480))).toBe(type);
    expect(await look(make(640, 480), type)).toBe(type);
    expect(await look(make(640, 480), 'application/octet-stream')).toBe(type);
  });

  it('says how large it is at its beginning, and where it is cut off it does not', () => {
    const bytes = make(1600, 1200);
    expect(imageSize(type, bytes)).toEqual({ width: 1600, height: 1200 });
    for (let length = 0; length < bytes.length; length += 1) {
      expect([null, 'more', expect.objectContaining({ width: 1600 })]).toContainEqual(
        imageSize(type, bytes.subarray(0, length)),
      );
    }
  });

  it('that is said to be something else is refused (case 23)', async () => {
    await expect(look(make(10, 10), 'application/pdf')).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'the file is said to be application/pdf, but its bytes are not',
    });
  });
});

describe('a pixel bomb (case 26)', () => {
  it.each([
    ['image/png', png(50_000, 50_000)],
    ['image/png', png(0xffffffff, 0xffffffff)],
    ['image/jpeg', jpeg(65_000, 65_000)],
    ['image/avif', heif('avif', 20_000, 5_001)],
    ['image/gif', gif(65_535, 65_535)],
    ['image/gif', gif(1, 1, [0, 0, 65_535, 65_535])],
    ['image/gif', gif(1, 1, [65_000, 65_000, 1, 1])],
    ['image/gif', gif(1, 1, [0, 0, 65_535, 65_535], 4000)],
  ])('as %s is refused by its header alone', async (type, bytes) => {
    await expect(look(bytes, type)).rejects.toMatchObject({
      code: 'payload_too_large',
      message: 'an image has at most 100 megapixels',
    });
  });

  it('is one from the first pixel above 100 megapixels on', async () => {
    expect(await look(png(10_000, 10_000))).toBe('image/png');
    await expect(look(png(10_000, 10_001))).rejects.toMatchObject({ code: 'payload_too_large' });
  });

  it('cannot hide behind metadata: so much of it is read, and no more', async () => {
    expect(await look(jpeg(10, 10, 500_000))).toBe('image/jpeg');
    await expect(look(jpeg(50_000, 50_000, 500_000))).rejects.toMatchObject({ code: 'payload_too_large' });
    await expect(look(jpeg(10, 10, limits.image_header_bytes + 10_000))).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'the header of the image does not say how large it is',
    });
  });
});

/** As programs for drawing write it: names of their own, declared in the middle of the type. */
const illustrated = `<?xml version="1.0" encoding="utf-8"?>
<!-- Generator: it's a program -->
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [
  <!ENTITY ns_extend "http://ns.example.com/Extensibility/1.0/]>">
  <!-- it's not over > ] yet -->
  <?a ]> ?>
]>
<svg xmlns:x="&ns_extend;"/>`;

describe('what is no image', () => {
  it.each<[string, string | null, string, string]>([
    ['%PDF-1.7 …', null, 'a.pdf', 'application/pdf'],
    ['Words.', null, 'a.txt', 'text/plain'],
    ['a,b\n1,2', null, 'a.csv', 'text/csv'],
    ['{"a":1}', 'application/octet-stream', 'a.json', 'application/json'],
    ['# Title', 'text/markdown', 'a.md', 'text/markdown'],
    [
      'PK\x03\x04rest',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'a.docx',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ],
    ['BMW is a maker of cars, and this is a text.', null, 'a.txt', 'text/plain'],
    ['A drawing begins with <svg xmlns="…">.', null, 'a.txt', 'text/plain'],
    ['<!-- how to draw an <svg/> -->\n# Title', 'text/markdown', 'a.md', 'text/markdown'],
    ['<!doctype html>\n<html>', 'text/plain', 'a.txt', 'text/plain'],
    ['<!DOCTYPE note [ <!ENTITY a "<svg>"> ]>\n<note><svg/></note>', 'application/xml', 'a.xml', 'application/xml'],
    ['<?xml version="1.0"?><rss><channel/></rss>', 'application/rss+xml', 'a.rss', 'application/rss+xml'],
    ['<svg-icon/>', 'application/xml', 'a.xml', 'application/xml'],
  ])('%j of type %j is kept as what it is', async (text, said, name, type) => {
    expect(await look(Buffer.from(text, 'latin1'), said, name)).toBe(type);
  });

  it.each<[string, string | null, string]>([
    ['<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>', 'image/svg+xml', 'SVG images are not taken'],
    ['<?xml version="1.0"?>\n<!-- a -->\n<!DOCTYPE svg>\n<svg/>', 'text/plain', 'SVG images are not taken'],
    ['\uFEFF <svg:svg>', null, 'SVG images are not taken'],
    ['<!--a--><!--b--><?c?><!--d--><svg/>', 'text/xml', 'SVG images are not taken'],
    [illustrated, 'application/xml', 'SVG images are not taken'],
    [illustrated, 'application/octet-stream', 'SVG images are not taken'],
    ['<!--><note/>--><svg/>', 'application/xml', 'SVG images are not taken'],
    ['<a-b:svg xmlns:a-b="http://www.w3.org/2000/svg"/>', 'application/xml', 'SVG images are not taken'],
    ['<é.1:SVG>', 'text/xml', 'SVG images are not taken'],
    [
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>',
      'application/xml',
      'HTML pages are not taken',
    ],
    ['<!-- a --><h:html xmlns:h="http://www.w3.org/1999/xhtml"/>', 'text/xml', 'HTML pages are not taken'],
    ['<!-- a --><html>', null, 'HTML pages are not taken'],
    ['<?xml version="1.0"?><html xmlns="x"/>', 'application/xhtml+xml', 'HTML pages are not taken'],
    ['<!doctype html><script>alert(1)</script>', null, 'HTML pages are not taken'],
    ['<html>', 'text/html', 'HTML pages are not taken'],
    ['<script>alert(1)</script>', 'image/png', 'HTML pages are not taken'],
    ['GIF87 but not quite', 'image/gif', 'the file is said to be image/gif, but its bytes are not'],
    ['\u0000\u0001\u0002\u0003', null, 'files of this kind are not taken'],
  ])('%j of type %j is refused (case 24)', async (text, said, message) => {
    await expect(look(Buffer.from(text), said)).rejects.toMatchObject({ code: 'invalid_argument', message });
  });

  it('is looked at until its first element, however much stands before it', async () => {
    const comment = `<!--${'long '.repeat(5000)}-->`;
    const svg = { message: 'SVG images are not taken' };
    for (const said of ['application/xml', 'text/plain', null]) {
      await expect(look(Buffer.from(`${comment}<svg/>`), said)).rejects.toMatchObject(svg);
      await expect(look(Buffer.from(`${' '.repeat(9000)}<svg/>`), said)).rejects.toMatchObject(svg);
    }
    expect(await look(Buffer.from(`${comment}<more/>`), 'text/xml')).toBe('text/xml');
    const code = Buffer.from(`<?php\n${'// no end'.repeat(2000)}`);
    expect(await look(code, 'text/plain', 'a.php')).toBe('text/plain');
  });

  it('is refused when that is more than anybody looks at', async () => {
    const endless = Buffer.from(`<!--${'x'.repeat(limits.image_header_bytes + 10_000)}--><svg/>`);
    await expect(look(endless, 'text/xml')).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'what the file is does not follow from its beginning',
    });
  });

  it('and is nothing at all is refused', async () => {
    await expect(look(Buffer.alloc(0), 'image/png')).rejects.toMatchObject({ message: 'the file is empty' });
  });

  it('an archive is kept as it is: nobody looks into it (case 25)', async () => {
    const bomb = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), Buffer.alloc(100_000, 7)]);
    expect(await look(bomb, 'application/zip', 'bomb.zip')).toBe('application/zip');
  });
});
