import type { IncomingMessage, ServerResponse } from 'node:http';
import { limits } from '@rostra/protocol/wire/limits';
import type { Clock } from '../session/clock.ts';
import { HttpError } from './errors.ts';

export interface BodyLimit {
  bytes: number;
  /** The sentence of a refusal. */
  message: string;
}

/** The client went away in the middle of its request: there is nobody to answer. */
export class ClientGone extends Error {
  constructor() {
    super('the client went away');
    this.name = 'ClientGone';
  }
}

function tooLarge({ bytes, message }: BodyLimit): HttpError {
  return new HttpError(413, 'payload_too_large', message, { details: { limit_bytes: bytes } });
}

/** Whoever sends slowly, or nothing any more, gives its connection back. */
export function tooSlow(message: string, hint: string): HttpError {
  return new HttpError(408, 'deadline_exceeded', message, { details: { hint }, headers: { Connection: 'close' } });
}

/**
 * The rest of a refused body is discarded for a moment, so that its sender can read the refusal, and ask more on the same
 * connection. What takes longer is cut then, and not with the answer: a socket that is closed with unread bytes takes
 * that with it.
 */
export function discardRest(req: IncomingMessage, clock: Clock): void {
  if (req.readableEnded || req.destroyed) return;
  const { socket } = req;
  req.resume();
  const callOff = clock.at(clock.now() + limits.linger, () => socket.destroy());
  for (const event of ['close', 'end']) req.once(event, callOff);
}

/** Reads a body up to its limit and for its time, whatever its length was said to be. Beyond them nothing is kept. */
export function readBody(req: IncomingMessage, res: ServerResponse, limit: BodyLimit, clock: Clock): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    const refuse = (refusal: HttpError) => {
      callOff();
      chunks = [];
      req.off('data', take);
      discardRest(req, clock);
      reject(refusal);
    };
    const callOff = clock.at(clock.now() + limits.body_timeout, () =>
      refuse(tooSlow('the request took too long to arrive', 'Send the body at once; files go to the attachments.')),
    );
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit.bytes) refuse(tooLarge(limit));
      else chunks.push(chunk);
    };
    req.once('end', () => {
      callOff();
      res.off('close', gone);
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
    });
    const gone = () => {
      callOff();
      reject(new ClientGone());
    };
    req.once('error', gone);
    res.once('close', gone);
    if (Number(req.headers['content-length'] ?? 0) > limit.bytes) refuse(tooLarge(limit));
    else req.on('data', take);
  });
}
