/** The first bytes of some content, at least `bytes` of them unless it is shorter, and all of it from its beginning on. */
export async function beginningOf(
  content: AsyncIterable<Uint8Array>,
  bytes: number,
): Promise<{ head: Buffer; content: AsyncGenerator<Uint8Array, void> }> {
  const source = content[Symbol.asyncIterator]();
  const pieces: Buffer[] = [];
  let [size, isWhole] = [0, false];
  while (size < bytes && !isWhole) {
    const { done = false, value } = await source.next();
    isWhole = done;
    if (done) break;
    // The reader that gave it uses its memory again.
    pieces.push(Buffer.from(value));
    size += value.length;
  }
  const head = Buffer.concat(pieces);
  async function* all(): AsyncGenerator<Uint8Array, void> {
    if (head.length > 0) yield head;
    while (!isWhole) {
      const { done = false, value } = await source.next();
      if (done) return;
      yield value;
    }
  }
  return { head, content: all() };
}
