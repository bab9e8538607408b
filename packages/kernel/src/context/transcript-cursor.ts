const cursor = /^h([0-9a-z]{1,11})$/;

/** The place of a message in its conversation, in a form that a runner can keep and not take apart. */
export function transcriptCursor(seq: number): string {
  return `h${seq.toString(36)}`;
}

/** The `seq` behind a cursor; null for what is none. */
export function seqOfCursor(text: string): number | null {
  const found = cursor.exec(text)?.[1];
  const seq = found === undefined ? Number.NaN : Number.parseInt(found, 36);
  return Number.isSafeInteger(seq) && transcriptCursor(seq) === text ? seq : null;
}
