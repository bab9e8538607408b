/** An instant in milliseconds since 1970 as the text that APIs write. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}
