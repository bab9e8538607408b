/** What authors without a compiler give by mistake, told in their words. */

const SHOWN_CHARS = 80;

/** Whether what `run` gave back can be asked for results. */
export function isIterable(given: unknown): boolean {
  return typeof given === 'object' && given !== null && (Symbol.asyncIterator in given || Symbol.iterator in given);
}

/** Says how to write `run`. The error of one that only promised something goes before that, and ends no process. */
export async function refuseToIterate(given: unknown): Promise<never> {
  await given;
  throw new TypeError('run is no generator. Write it as: async *run(context, run) { yield text(…); }');
}

/** The error of a result that could not be said: its own, or that it is none. */
export function sayingError(result: unknown, error: unknown): unknown {
  return isResult(result)
    ? error
    : new TypeError(`${shown(result)} was yielded, which is no result. Write: yield text(…), or a { type, data }.`);
}

function isResult(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('type' in value) || !('data' in value)) return false;
  return typeof value.type === 'string' && typeof value.data === 'object' && value.data !== null;
}

function shown(value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'object' ? jsonOf(value) : String(value);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // It holds itself, or a number that JSON does not have.
    return 'An object';
  }
}
