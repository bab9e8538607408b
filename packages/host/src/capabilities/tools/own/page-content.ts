import type { WebPage } from '../../egress/web-reader.ts';

/** What the sender says that its bytes are, as far as a text can be made of them. */
export interface PageContent {
  readonly kind: 'html' | 'text';
  readonly text: string;
}

const html: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);
const textual =
  /^(?:text\/[a-z0-9.+-]+|application\/(?:json|xml|javascript|yaml|x-yaml|x-ndjson|[a-z0-9.-]+\+(?:json|xml)))$/;
/** How far into a page it may say which characters its bytes mean. */
const DECLARED_WITHIN = 1024;

/** The text of a page; null when it is none: then nobody reads it. */
export function contentOf({ content_type, bytes }: Pick<WebPage, 'content_type' | 'bytes'>): PageContent | null {
  const [said = '', ...parameters] = content_type.split(';').map((part) => part.trim().toLowerCase());
  const isSilent = said === '';
  if (!isSilent && !html.has(said) && !textual.test(said)) return null;
  if (bytes.subarray(0, DECLARED_WITHIN).includes(0) && !isWide(bytes)) return null;
  const charset = parameters.find((part) => part.startsWith('charset='))?.slice('charset='.length);
  const kind = html.has(said) || (isSilent && looksLikeHtml(bytes)) ? 'html' : 'text';
  return { kind, text: decoded(bytes, charset ?? (kind === 'html' ? declaredIn(bytes) : undefined)) };
}

/** UTF-16 says so in its first two bytes, and is full of zeros. */
function isWide(bytes: Buffer): boolean {
  const first = bytes.subarray(0, 2).toString('hex');
  return first === 'fffe' || first === 'feff';
}

function looksLikeHtml(bytes: Buffer): boolean {
  const start = bytes.subarray(0, DECLARED_WITHIN).toString('latin1').trimStart().toLowerCase();
  return start.startsWith('<!doctype html') || start.startsWith('<html');
}

function declaredIn(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, DECLARED_WITHIN).toString('latin1').toLowerCase();
  const at = head.indexOf('charset=');
  return at < 0 ? undefined : /^["']?([a-z0-9_:.-]{1,40})/.exec(head.slice(at + 'charset='.length))?.[1];
}

function decoded(bytes: Buffer, label = 'utf-8'): string {
  const narrow = label.replaceAll('"', '');
  const wide = bytes[0] === 0xff ? 'utf-16le' : 'utf-16be';
  try {
    return new TextDecoder(isWide(bytes) ? wide : narrow).decode(bytes);
  } catch (error) {
    // A name that nobody knows.
    if (error instanceof RangeError) return new TextDecoder().decode(bytes);
    throw error;
  }
}
