import { limits } from '@rostra/protocol/wire/limits';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundaryOf, filePartOf } from '../../src/attachments/multipart.ts';

const BOUNDARY = 'AaB03x';

interface Part {
  name?: string;
  filename?: string;
  type?: string;
  content: Buffer | string;
}

function bodyOf(parts: readonly Part[], { end = `\r\n--${BOUNDARY}--\r\n`, preamble = '' } = {}): Buffer {
  const written = parts.map(({ name = 'file', filename, type, content }, index) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    const kind = type === undefined ? '' : `Content-Type: ${type}\r\n`;
    const head = `${index === 0 && preamble === '' ? '' : '\r\n'}--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${kind}\r\n`;
    return Buffer.concat([Buffer.from(head), Buffer.from(content)]);
  });
  return Buffer.concat([Buffer.from(preamble), ...written, Buffer.from(end)]);
}

/** The body in pieces of these lengths, one after another and over again. */
async function* cut(body: Buffer, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, n = 0; at < body.length; n += 1) {
    const length = lengths[n % lengths.length] ?? 1;
    yield body.subarray(at, at + length);
    at += length;
  }
}

async function read(body: Buffer, lengths: readonly number[] = [body.length]) {
  const { headers, content } = await filePartOf(cut(body, lengths), BOUNDARY);
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(Buffer.from(piece));
  return { ...headers, content: Buffer.concat(pieces) };
}

const file = (content: Buffer | string, more: Partial<Part> = {}): Part => ({ filename: 'a.png', content, ...more });

describe('a multipart body', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
  /** Bytes that look like the beginning of a boundary, again and again. */
  const tricky = fc
    .array(fc.constantFrom('\r', '\n', '\r\n', '-', '--', '\r\n--', '\r\n--AaB03', 'x', '--AaB03x', '\u00e9'))
    .map((pieces) => pieces.join(''))
    .filter((text) => !text.includes(`\r\n--${BOUNDARY}`) && !text.startsWith(`--${BOUNDARY}`));

  it('gives the bytes of its file wherever its chunks are cut', async () => {
    const content = fc.oneof(
      tricky.map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 300 }).map(Buffer.from),
    );
    await fc.assert(
      fc.asyncProperty(content, tricky, lengths, async (bytes, field, cuts) => {
        const parts = [
          { name: 'note', content: field },
          file(bytes, { type: 'image/png' }),
          { name: 'z', content: field },
        ];
        expect(await read(bodyOf(parts), cuts)).toEqual({
          name: 'file',
          filename: 'a.png',
          content_type: 'image/png',
          content: bytes,
        });
      }),
      { numRuns: 300 },
    );
  });

  it('that is cut short anywhere is refused, and never looks whole', async () => {
    const body = bodyOf([file('some bytes of a file'), { name: 'z', content: 'field' }], {
      end: `\r\n--${BOUNDARY}--`,
    });
    for (let length = 0; length < body.length; length += 1) {
      await expect(read(body.subarray(0, length), [7])).rejects.toMatchObject({ code: 'invalid_argument' });
    }
    expect((await read(body, [7])).content.toString()).toBe('some bytes of a file');
  });

  it('may have words before its first part, spaces after a boundary, and a file of no bytes', async () => {
    expect((await read(bodyOf([file('x')], { preamble: 'This is multipart.' }))).content.toString()).toBe('x');
    const spaced = bodyOf([file('x')])
      .toString()
      .replace(`--${BOUNDARY}\r\n`, `--${BOUNDARY} \t\r\n`);
    expect((await read(Buffer.from(spaced))).content.toString()).toBe('x');
    expect((await read(bodyOf([file('')]))).content).toHaveLength(0);
  });

  it.each<[string, readonly Part[], object?]>([
    ['no file', [{ name: 'note', content: 'x' }]],
    ['two files', [file('a'), file('b')]],
    [
      'too many parts',
      [...Array.from({ length: limits.upload_parts }, () => ({ name: 'n', content: 'x' })), file('a')],
    ],
    ['a field that is too long', [{ name: 'n', content: 'x'.repeat(limits.upload_field_bytes + 1) }, file('a')]],
    ['headers that are too long', [file('a', { type: 'x'.repeat(limits.upload_headers_bytes) })]],
    ['a boundary that goes on', [file(`a\r\n--${BOUNDARY}y\r\n`)]],
    ['a preamble that is too long', [file('a')], { preamble: 'x'.repeat(limits.upload_headers_bytes + 1) }],
  ])('with %s is refused', async (_, parts, more = {}) => {
    await expect(read(bodyOf(parts, more))).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it.each([
    ['Content-Disposition: form-data; name="f"; filename="a \\"b\\".png"', 'a "b".png'],
    ['Content-Disposition: form-data; name="f"; filename="a %22b%22.png"', 'a "b".png'],
    ['content-disposition: FORM-DATA; name=f; filename=plain.png', 'plain.png'],
    [`Content-Disposition: form-data; name="f"; filename="x"; filename*=UTF-8''na%C3%AFve.png`, 'naïve.png'],
    ['Content-Disposition: form-data; name="f"; filename="日程.png"', '日程.png'],
  ])('names its file: %s', async (line, filename) => {
    const body = Buffer.from(`--${BOUNDARY}\r\n${line}\r\n\r\nx\r\n--${BOUNDARY}--`);
    expect(await read(body)).toMatchObject({ filename });
  });

  it.each([
    'Content-Type: image/png',
    'no colon',
    'Content-Disposition: attachment; filename="x"',
    'Content-Disposition: form-data; filename="x"\r\nContent-Transfer-Encoding: base64',
  ])('with a part that says %j is refused', async (headers) => {
    const body = Buffer.from(`--${BOUNDARY}\r\n${headers}\r\n\r\nx\r\n--${BOUNDARY}--`);
    await expect(read(body)).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

it.each([
  ['multipart/form-data; boundary=AaB03x', 'AaB03x'],
  ['Multipart/Form-Data; charset=utf-8; BOUNDARY="a b c"', 'a b c'],
  ['multipart/form-data', null],
  ['multipart/form-data; boundary=', null],
  ['multipart/form-data; boundary=a; boundary=b', null],
  [`multipart/form-data; boundary=${'x'.repeat(71)}`, null],
  ['multipart/mixed; boundary=AaB03x', null],
  ['application/json', null],
])('the boundary of %j is %j', (header, boundary) => {
  expect(boundaryOf(header)).toBe(boundary);
});
