import { limits } from '@rostra/protocol/wire/limits';
import type { ArtifactContent } from '../ports/artifact.ts';
import { toApiError } from '../refused.ts';

/** The content in pieces that hash and write without holding the event loop; refuses more than `limit` bytes. */
export async function* piecesOf(content: ArtifactContent, limit: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  const whole = content instanceof Uint8Array ? [content] : content;
  for await (const bytes of whole) {
    size += bytes.byteLength;
    if (size > limit) {
      throw toApiError({
        code: 'payload_too_large',
        reason: 'VALUE_TOO_LARGE',
        message: `The content has more than ${limit} bytes.`,
        retryable: false,
      });
    }
    for (let from = 0; from < bytes.byteLength; from += limits.piece_bytes) {
      yield bytes.subarray(from, from + limits.piece_bytes);
    }
  }
}
