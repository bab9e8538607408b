import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { malformed, type PartHeaders, partHeaders } from './part-headers.ts';

/** The one file of a multipart body. `content` ends well only when the whole body did. */
export interface FilePart {
  readonly headers: PartHeaders;
  readonly content: AsyncGenerator<Buffer, void>;
}

const CRLF = Buffer.from('\r\n');
const END_OF_HEADERS = Buffer.from('\r\n\r\n');
const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;

/** The boundary that a Content-Type names; null when it is no multipart body of a form. */
export function boundaryOf(content_type: string): string | null {
  const [type = '', ...parameters] = content_type.split(';');
  if (type.trim().toLowerCase() !== 'multipart/form-data') return null;
  const values = parameters.flatMap((parameter) => /^\s*boundary=(?:"([^"]*)"|(\S*))\s*$/i.exec(parameter) ?? []);
  const [, quoted, plain] = values;
  const boundary = quoted ?? plain ?? '';
  return values.length === 3 && BOUNDARY.test(boundary) ? boundary : null;
}

/** Reads a body as it comes: what is in memory is one chunk of it, and what may be the beginning of a boundary. */
class BodyReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #held = Buffer.alloc(0);
  #isOver = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async #more(): Promise<void> {
    const { done = false, value } = await this.#source.next();
    this.#isOver = done;
    if (!done) this.#held = this.#held.length === 0 ? Buffer.from(value) : Buffer.concat([this.#held, value]);
  }

  async #need(bytes: number): Promise<void> {
    while (this.#held.length < bytes) {
      if (this.#isOver) throw malformed('it ends too early');
      await this.#more();
    }
  }

  async peek(bytes: number): Promise<Buffer> {
    await this.#need(bytes);
    return this.#held.subarray(0, bytes);
  }

  skip(bytes: number): void {
    this.#held = this.#held.subarray(bytes);
  }

  /** What stands before `mark`, piece by piece; the mark is read, too. */
  async *until(mark: Buffer): AsyncGenerator<Buffer, void> {
    for (;;) {
      const at = this.#held.indexOf(mark);
      if (at >= 0) {
        if (at > 0) yield this.#held.subarray(0, at);
        this.skip(at + mark.length);
        return;
      }
      const free = this.#held.length - mark.length + 1;
      if (free > 0) {
        yield this.#held.subarray(0, free);
        this.skip(free);
      }
      if (this.#isOver) throw malformed('it ends too early');
      await this.#more();
    }
  }

  async whole(mark: Buffer, limit: number, what: string): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of this.until(mark)) {
      size += piece.length;
      if (size > limit) throw malformed(`${what} of more than ${limit} bytes`);
      pieces.push(Buffer.from(piece));
    }
    return Buffer.concat(pieces);
  }
}

class Multipart {
  readonly #body: BodyReader;
  readonly #delimiter: Buffer;
  #parts = 0;

  constructor(source: AsyncIterable<Uint8Array>, boundary: string) {
    this.#body = new BodyReader(source);
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  /** The first boundary stands at the very beginning, or after a preamble that nobody reads. */
  async open(): Promise<void> {
    const first = this.#delimiter.subarray(CRLF.length);
    if ((await this.#body.peek(first.length)).equals(first)) this.#body.skip(first.length);
    else await this.#body.whole(this.#delimiter, limits.upload_headers_bytes, 'a preamble');
  }

  /** After a boundary: the headers of the next part, or null at the end. */
  async next(): Promise<PartHeaders | null> {
    if ((await this.#body.peek(2)).toString('latin1') === '--') return null;
    const padding = await this.#body.whole(CRLF, limits.upload_headers_bytes, 'a boundary');
    if (padding.some((byte) => byte !== 0x20 && byte !== 0x09)) throw malformed('a boundary is part of a longer one');
    this.#parts += 1;
    if (this.#parts > limits.upload_parts) throw malformed(`more than ${limits.upload_parts} parts`);
    return partHeaders(await this.#body.whole(END_OF_HEADERS, limits.upload_headers_bytes, 'headers'));
  }

  async skipField(): Promise<void> {
    await this.#body.whole(this.#delimiter, limits.upload_field_bytes, 'a field');
  }

  /** The content of the file, and after it a look at what is left: a body that is wrong anywhere is wrong. */
  async *file(): AsyncGenerator<Buffer, void> {
    yield* this.#body.until(this.#delimiter);
    for (let part = await this.next(); part !== null; part = await this.next()) {
      if (part.filename !== null) throw moreFiles();
      await this.skipField();
    }
  }
}

function moreFiles(): ApiError {
  return new ApiError('invalid_argument', 'the body holds more than one file', {
    details: { hint: 'Send each file in a request of its own.' },
  });
}

/** The file of a multipart body, of which nothing but its headers has been read yet. */
export async function filePartOf(source: AsyncIterable<Uint8Array>, boundary: string): Promise<FilePart> {
  const multipart = new Multipart(source, boundary);
  await multipart.open();
  for (let part = await multipart.next(); part !== null; part = await multipart.next()) {
    if (part.filename !== null) return { headers: part, content: multipart.file() };
    await multipart.skipField();
  }
  throw new ApiError('invalid_argument', 'the body holds no file', {
    details: { hint: 'Send it as `curl -F file=@picture.png` does.' },
  });
}
