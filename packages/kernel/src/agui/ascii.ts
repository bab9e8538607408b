const ASCII = /^[\0-\x7f]*$/;

/** Whether a text has as many bytes as characters. */
export function isAscii(text: string): boolean {
  return ASCII.test(text);
}
