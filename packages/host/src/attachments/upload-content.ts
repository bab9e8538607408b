import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { SNIFFED_BYTES } from '../store/artifacts/mime-sniff.ts';
import { fileKind, refuse } from './file-kind.ts';
import { imageSize } from './image-size.ts';
import { rootElement } from './root-element.ts';

export interface LookedAt {
  readonly mime_type: string;
  /** All of it, from its beginning on. */
  readonly content: AsyncGenerator<Uint8Array, void>;
}

/** The beginning of some content, read as far as somebody needs it. */
class Beginning {
  readonly #content: AsyncGenerator<Uint8Array, void>;
  head = Buffer.alloc(0);
  isWhole = false;

  constructor(content: AsyncGenerator<Uint8Array, void>) {
    this.#content = content;
  }

  async reach(bytes: number): Promise<void> {
    const pieces: Uint8Array[] = [this.head];
    for (let size = this.head.length; size < bytes && !this.isWhole; ) {
      const { done = false, value } = await this.#content.next();
      this.isWhole = done;
      if (value === undefined) continue;
      // The reader that gave it uses its memory again.
      pieces.push(Buffer.from(value));
      size += value.length;
    }
    this.head = Buffer.concat(pieces);
  }

  async *all(): AsyncGenerator<Uint8Array, void> {
    if (this.head.length > 0) yield this.head;
    if (!this.isWhole) yield* this.#content;
  }
}

/** An image that would take a gigabyte of memory to draw is one that nobody should open; its header says so. */
function checkPixels({ width, height }: { width: number; height: number }): void {
  if (width * height <= limits.image_pixels) return;
  throw new ApiError('payload_too_large', `an image has at most ${limits.image_pixels / 1_000_000} megapixels`, {
    details: { width, height, limit_pixels: limits.image_pixels, hint: 'Scale the image down.' },
  });
}

/** Looks at more and more of a beginning until it says something, or there is no more of it, or enough of it. */
async function said<T>(beginning: Beginning, look: (head: Buffer) => T | 'more'): Promise<T | 'more'> {
  for (let reach = SNIFFED_BYTES; ; reach *= 4) {
    await beginning.reach(Math.min(reach, limits.image_header_bytes));
    const found = look(beginning.head);
    if (found !== 'more' || beginning.isWhole || reach >= limits.image_header_bytes) return found;
  }
}

async function measure(mime_type: string, beginning: Beginning): Promise<void> {
  const size = await said(beginning, (head) => imageSize(mime_type, head));
  if (size === 'more' || size === null) {
    throw new ApiError('invalid_argument', 'the header of the image does not say how large it is', {
      details: { hint: 'Save the image anew with another program.' },
    });
  }
  checkPixels(size);
}

/** The name of the first element, whatever stands before it. */
async function rootOf(beginning: Beginning): Promise<string | null> {
  const root = await said(beginning, rootElement);
  if (root !== 'more') return root?.name ?? null;
  // A comment, or the code of a program, that ends with the file: there is no element.
  if (beginning.isWhole) return null;
  throw refuse('what the file is does not follow from its beginning');
}

/** Finds out what is being uploaded from its first bytes, before any of them is kept. */
export async function lookAt(
  content: AsyncGenerator<Uint8Array, void>,
  named: { content_type: string | null; filename: string },
): Promise<LookedAt> {
  const beginning = new Beginning(content);
  await beginning.reach(SNIFFED_BYTES);
  if (beginning.head.length === 0) {
    throw new ApiError('invalid_argument', 'the file is empty', { details: { hint: 'Send a file with content.' } });
  }
  const head = beginning.head.subarray(0, SNIFFED_BYTES);
  const mime_type = fileKind(head, await rootOf(beginning), named.content_type, named.filename);
  if (mime_type.startsWith('image/')) await measure(mime_type, beginning);
  return { mime_type, content: beginning.all() };
}
