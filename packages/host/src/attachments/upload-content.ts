import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { SNIFFED_BYTES } from '../store/artifacts/mime-sniff.ts';
import { fileKind } from './file-kind.ts';
import { imageSize } from './image-size.ts';

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

async function measure(mime_type: string, beginning: Beginning): Promise<void> {
  for (let reach = SNIFFED_BYTES; ; reach *= 4) {
    await beginning.reach(Math.min(reach, limits.image_header_bytes));
    const size = imageSize(mime_type, beginning.head);
    if (size === 'more' && !beginning.isWhole && reach < limits.image_header_bytes) continue;
    if (size === 'more' || size === null) {
      throw new ApiError('invalid_argument', 'the header of the image does not say how large it is', {
        details: { hint: 'Save the image anew with another program.' },
      });
    }
    checkPixels(size);
    return;
  }
}

/** Finds out what is being uploaded from its first bytes, before any of them is kept. */
export async function lookAt(
  content: AsyncGenerator<Uint8Array, void>,
  said: { content_type: string | null; filename: string },
): Promise<LookedAt> {
  const beginning = new Beginning(content);
  await beginning.reach(SNIFFED_BYTES);
  if (beginning.head.length === 0) {
    throw new ApiError('invalid_argument', 'the file is empty', { details: { hint: 'Send a file with content.' } });
  }
  const mime_type = fileKind(beginning.head, said.content_type, said.filename);
  if (mime_type.startsWith('image/')) await measure(mime_type, beginning);
  return { mime_type, content: beginning.all() };
}
