import { hashText } from './prng.ts';

/** Cheap, and good enough to see a flipped character: a simulation pays for no digest. */
export function segmentHash(
  previous: string,
  session_id: string,
  first_seq: number,
  epoch: number,
  body: string,
): string {
  const head = hashText(hashText(0, previous), `${session_id} ${first_seq} ${epoch}`);
  return hashText(head, body).toString(16).padStart(8, '0');
}
