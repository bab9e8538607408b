/** The order of ids is that of the log: `<seq>.<n>.<epoch>`. */
const FORM = /^(\d+)\.(\d+)\.\d+$/;

/** Whether a frame with this id comes after another: a frame that came before is not told again. */
export function isAfter(id: string, last: string): boolean {
  const [, seq, n] = FORM.exec(id) ?? [];
  const [, lastSeq, lastN] = FORM.exec(last) ?? [];
  if (seq === undefined || lastSeq === undefined) return id !== last;
  return Number(seq) - Number(lastSeq) > 0 || (seq === lastSeq && Number(n) > Number(lastN));
}
