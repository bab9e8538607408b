import { TextDecoder } from 'node:util';
import { unreadable } from './document-error.ts';

const SAMPLE = 4096;
/** How sure it must be that every second byte is zero, and that hardly any other is. */
const MANY = 0.4;
const FEW = 0.02;

function begins(bytes: Uint8Array, ...mark: readonly number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte);
}

/** Which byte of every two is zero: how a text of two bytes to a character looks that has no mark at its beginning. */
function zeroParity(bytes: Uint8Array): 'even' | 'odd' | null {
  const pairs = Math.floor(Math.min(bytes.length, SAMPLE) / 2);
  if (pairs < 4) return null;
  let [even, odd] = [0, 0];
  for (let i = 0; i < pairs * 2; i += 2) {
    if (bytes[i] === 0) even += 1;
    if (bytes[i + 1] === 0) odd += 1;
  }
  if (odd > pairs * MANY && even <= pairs * FEW) return 'odd';
  return even > pairs * MANY && odd <= pairs * FEW ? 'even' : null;
}

function wideEncoding(bytes: Uint8Array): string | null {
  if (begins(bytes, 0xff, 0xfe)) return 'utf-16le';
  if (begins(bytes, 0xfe, 0xff)) return 'utf-16be';
  const zeros = zeroParity(bytes);
  if (zeros === null) return null;
  return zeros === 'odd' ? 'utf-16le' : 'utf-16be';
}

/** Bytes that no text has, in any encoding of one byte or more to a character. */
function isControl(byte: number): boolean {
  return byte < 0x09 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b) || byte === 0x7f;
}

/** Whether the beginning of a file looks like text, in whatever encoding. */
export function isText(head: Uint8Array): boolean {
  const wide = wideEncoding(head);
  if (wide === null) return !head.some(isControl);
  const whole = head.subarray(0, head.length - (head.length % 2));
  const units = new TextDecoder(wide).decode(whole, { stream: true });
  return ![...units].some((character) => isControl(character.charCodeAt(0)));
}

/** What a page says in its first kilobyte, as browsers look for it. */
export function metaCharset(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  return /<meta[^>]{0,256}charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(start)?.[1]?.toLowerCase() ?? null;
}

function decoderFor(bytes: Uint8Array, charset: string | null, name: string): TextDecoder {
  const encoding = wideEncoding(bytes) ?? (begins(bytes, 0xef, 0xbb, 0xbf) ? 'utf-8' : (charset ?? 'utf-8'));
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw unreadable(`${name} is said to be written in ${encoding}, which is not known.`, SAVE);
  }
}

const SAVE = 'Save it as UTF-8.';

function decoded(bytes: Uint8Array, charset: string | null, name: string, stream: boolean): string {
  const decoder = decoderFor(bytes, charset, name);
  try {
    return decoder.decode(bytes, { stream });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw unreadable(`The text of ${name} is not written in ${decoder.encoding.toUpperCase()}.`, SAVE, error);
  }
}

/** The beginning of a text whose last character may be cut; refuses one that cannot be read. */
export function decodeBeginning(head: Uint8Array, charset: string | null, name: string): string {
  return decoded(head, charset ?? metaCharset(head), name, true);
}

/** A whole text with plain ends of lines, and without characters that stand for nothing. */
export function decodeText(bytes: Uint8Array, charset: string | null, name: string): string {
  const text = decoded(bytes, charset ?? metaCharset(bytes), name, false);
  return cleanText(text);
}

export function cleanText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return text.replace(/\r\n?|\u2028|\u2029/g, '\n').replace(/[\u0000-\u0008\u000b\u000e-\u001f\u007f\ufeff]/g, '');
}
