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
  ])('%j of type %j is kept as what it is', async (text, said, name, type) => {
    expect(await look(Buffer.from(text, 'latin1'), said, name)).toBe(type);
  });

  it.each<[string, string | null, string]>([
    ['<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>', 'image/svg+xml', 'SVG images are not taken'],
    ['<?xml version="1.0"?>\n<!-- a -->\n<!DOCTYPE svg>\n<svg/>', 'text/plain', 'SVG images are not taken'],
    ['\uFEFF <svg:svg>', null, 'SVG images are not taken'],
    ['<!--a--><!--b--><?c?><!--d--><svg/>', 'text/xml', 'SVG images are not taken'],
    ['<?xml version="1.0"?><html xmlns="x"/>', 'application/xhtml+xml', 'HTML pages are not taken'],
    ['<!doctype html><script>alert(1)</script>', null, 'HTML pages are not taken'],
    ['<html>', 'text/html', 'HTML pages are not taken'],
    ['<script>alert(1)</script>', 'image/png', 'HTML pages are not taken'],
    ['GIF87 but not quite', 'image/gif', 'the file is said to be image/gif, but its bytes are not'],
    ['\u0000\u0001\u0002\u0003', null, 'files of this kind are not taken'],
  ])('%j of type %j is refused (case 24)', async (text, said, message) => {
    await expect(look(Buffer.from(text), said)).rejects.toMatchObject({ code: 'invalid_argument', message });
  });

  it('and is nothing at all is refused', async () => {
    await expect(look(Buffer.alloc(0), 'image/png')).rejects.toMatchObject({ message: 'the file is empty' });
  });

  it('an archive is kept as it is: nobody looks into it (case 25)', async () => {
    const bomb = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), Buffer.alloc(100_000, 7)]);
    expect(await look(bomb, 'application/zip', 'bomb.zip')).toBe('application/zip');
  });
});
