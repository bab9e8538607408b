import type { InThread } from '../in-thread.ts';
import { refused } from '../refused.ts';

/** A table of this process as a port: answers later, refuses as every port does, and shares no object with its caller. */
export function promised<P>(table: InThread<P>, calls: readonly (keyof P & string)[]): P {
  const port: Record<string, unknown> = {};
  for (const call of calls) {
    const work: unknown = table[call];
    if (typeof work !== 'function') throw new Error(`there is no call ${call}`);
    port[call] = async (...args: unknown[]) => {
      try {
        return structuredClone(Reflect.apply(work, table, structuredClone(args)));
      } catch (error) {
        throw refused(error);
      }
    };
  }
  // The calls are those of the port.
  return port as P;
}
