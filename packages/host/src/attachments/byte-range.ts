/** Which bytes of an answer are asked for: all, a part, or none that are there. */
export type ByteRange = { readonly first: number; readonly last: number } | 'all' | 'unsatisfiable';

const ONE_RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/;

/** A Range header for so many bytes. Several ranges at once, or what cannot be read, is all of it, as HTTP allows. */
export function byteRange(header: string | undefined, size: number): ByteRange {
  const [all, from = '', to = '', suffix = ''] = ONE_RANGE.exec(header?.trim() ?? '') ?? [];
  if (all === undefined) return 'all';
  if (suffix !== '') {
    const length = Math.min(Number(suffix), size);
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < first) return 'all';
  return first >= size ? 'unsatisfiable' : { first, last };
}
