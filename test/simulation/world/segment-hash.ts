import { hashText } from './prng.ts';

/** What was hashed lately: a log is hashed when it is written and whenever it is read again. */
const known = new Map<string, { head: number; hash: string }>();
const KNOWN_MAX = 256;

/** Cheap, and good enough to see a flipped character: a simulation pays for no digest. */
export function segmentHash(
  previous: string,
  session_id: string,
  first_seq: number,
  epoch: number,
  body: string,
): string {
  const head = hashText(hashText(0, previous), `${session_id} ${first_seq} ${epoch}`);
  const found = known.get(body);
  if (found?.head === head) return found.hash;
  const hash = hashText(head, body).toString(16).padStart(8, '0');
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(body, { head, hash });
  return hash;
}
