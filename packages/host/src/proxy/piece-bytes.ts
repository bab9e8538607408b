import { ApiError } from '@rostra/protocol/wire/api-error';

/** The bytes of a base64 text. What the decoder would silently skip is refused: it would store something else. */
export function pieceBytes(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64');
  let padding = 0;
  if (base64.endsWith('==')) padding = 2;
  else if (base64.endsWith('=')) padding = 1;
  if (base64.length % 4 !== 0 || bytes.byteLength !== (base64.length / 4) * 3 - padding) {
    throw new ApiError('invalid_argument', 'The content is not base64.');
  }
  return bytes;
}
