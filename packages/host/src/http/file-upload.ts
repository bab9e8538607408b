import type { IncomingMessage } from 'node:http';
import { limits } from '@rostra/protocol/wire/limits';
import { boundaryOf, type FilePart, filePartOf } from '../attachments/multipart.ts';
import type { Clock } from '../session/clock.ts';
import { ClientGone, discardRest, tooSlow } from './body.ts';
import { HttpError } from './errors.ts';

export interface UploadBounds {
  readonly clock: Clock;
  /** The largest file. */
  readonly bytes: number;
}

function tooLarge(bytes: number): HttpError {
  return new HttpError(413, 'payload_too_large', `the file has more than ${bytes} bytes`, {
    details: { limit_bytes: bytes, hint: 'Send a smaller file, or divide it.' },
  });
}

function boundaryIn({ headers }: IncomingMessage): string {
  const type = headers['content-type'] ?? '';
  const isPlain = (headers['content-encoding'] ?? 'identity') === 'identity';
  const boundary = boundaryOf(type);
  if (boundary !== null && isPlain) return boundary;
  if (isPlain && /^\s*multipart\/form-data\s*(;|$)/i.test(type)) {
    throw new HttpError(415, 'invalid_argument', 'the header Content-Type names no boundary of the parts', {
      details: { hint: 'Leave the header to your HTTP client: it knows where it divides the body.' },
    });
  }
  throw new HttpError(415, 'invalid_argument', 'the body must be multipart/form-data, not compressed', {
    details: { hint: 'Send one file, as `curl -F file=@picture.png` does.' },
  });
}

/** The next piece: a file may come by a slow line, but one of which nothing comes any more is given up. */
function nextOf(pieces: AsyncIterator<Buffer>, clock: Clock): Promise<IteratorResult<Buffer>> {
  return new Promise((resolve, reject) => {
    const seconds = limits.body_timeout / 1000;
    const callOff = clock.at(clock.now() + limits.body_timeout, () =>
      reject(tooSlow(`nothing of the file has come for ${seconds} seconds`, 'Send it again.')),
    );
    pieces.next().then(resolve, reject).finally(callOff);
  });
}

/** The body as it comes; refuses more than `limit` bytes whatever its length was said to be. */
async function* bodyOf(
  req: IncomingMessage,
  limit: number,
  clock: Clock,
  refuse: () => Error,
): AsyncGenerator<Uint8Array> {
  // Left early, the request must stay open: the refusal goes out on it.
  const pieces: AsyncIterator<Buffer> = req.iterator({ destroyOnReturn: false });
  let size = 0;
  let isWaiting = false;
  try {
    for (;;) {
      isWaiting = true;
      const { done, value } = await nextOf(pieces, clock);
      isWaiting = false;
      if (done === true) return;
      size += value.length;
      if (size > limit) throw refuse();
      yield value;
    }
  } catch (error) {
    throw req.errored === null ? error : new ClientGone();
  } finally {
    // What still waits for a piece could not end before that has come.
    if (!isWaiting) await pieces.return?.();
  }
}

/** Hands the one file of a multipart body to whoever keeps it, as it comes. */
export async function takeFile<T>(
  req: IncomingMessage,
  { clock, bytes }: UploadBounds,
  keep: (part: FilePart) => Promise<T>,
): Promise<T> {
  const around = limits.upload_parts * (limits.upload_headers_bytes + limits.upload_field_bytes);
  const refuse = () => tooLarge(bytes);
  const body = bodyOf(req, bytes + around, clock, refuse);
  try {
    const boundary = boundaryIn(req);
    if (Number(req.headers['content-length'] ?? 0) > bytes + around) throw refuse();
    return await keep(await filePartOf(body, boundary));
  } catch (failure) {
    // Nothing flows while somebody is still reading.
    await body.return(undefined);
    discardRest(req, clock);
    throw failure;
  }
}
