import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const ID_BYTES = 16;
const pool = Buffer.alloc(ID_BYTES * 256);
let used = pool.length;

/**
 * An id that sorts by time and cannot be guessed. Randomness is drawn for many at once: asking costs more than getting,
 * and by itself the package would ask the web's kind of cryptography, which takes a while to load.
 */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return v7({ random: pool.subarray(used - ID_BYTES, used) });
}
