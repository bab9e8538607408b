/** Bytes, or a text, or bytes as they come. */
export type Content = string | Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** All of it, if it is at hand; null for what has yet to come. */
export function wholeOf(content: Content): Uint8Array | null {
  return typeof content === 'string' || content instanceof Uint8Array ? bytesOf(content) : null;
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}

/** The same bytes in pieces of exactly `size`, the last one shorter; none of nothing. */
export async function* piecesOf(content: Content, size: number): AsyncGenerator<Uint8Array> {
  if (typeof content === 'string' || content instanceof Uint8Array) {
    const whole = bytesOf(content);
    for (let from = 0; from < whole.length; from += size) yield whole.subarray(from, from + size);
    return;
  }
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const part of content) {
    waiting.push(part);
    length += part.length;
    if (length < size) continue;
    const joined = Buffer.concat(waiting);
    let from = 0;
    for (; joined.length - from >= size; from += size) yield joined.subarray(from, from + size);
    waiting = [joined.subarray(from)];
    length = joined.length - from;
  }
  if (length > 0) yield Buffer.concat(waiting);
}
