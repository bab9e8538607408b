/** How much of the beginning of some content tells what it is. */
export const SNIFFED_BYTES = 4096;

const BINARY = 'application/octet-stream';
const TEXT = 'text/plain';
const HTML = 'text/html';

/** A kind of content with a beginning of its own, and the other names that go by it. */
interface Kind {
  readonly type: string;
  readonly names?: readonly string[];
  readonly prefixes?: readonly string[];
  readonly begins: (head: Buffer) => boolean;
}

function at(offset: number, ...bytes: readonly number[]): (head: Buffer) => boolean {
  return (head) => bytes.every((byte, index) => head[offset + index] === byte);
}

function word(offset: number, text: string): (head: Buffer) => boolean {
  return at(offset, ...Buffer.from(text, 'latin1'));
}

const all =
  (...tests: readonly ((head: Buffer) => boolean)[]) =>
  (head: Buffer) =>
    tests.every((test) => test(head));
const any =
  (...tests: readonly ((head: Buffer) => boolean)[]) =>
  (head: Buffer) =>
    tests.some((test) => test(head));

/** A frame of MPEG audio, layer III: eleven bits of sync, and neither a bad bit rate nor a bad sampling rate. */
function mpegFrame(head: Buffer): boolean {
  const [sync = 0, second = 0, third = 0] = head;
  if (sync !== 0xff || (second & 0xe6) !== 0xe2) return false;
  return (second & 0x18) !== 0x08 && (third & 0xf0) !== 0xf0 && (third & 0x0c) !== 0x0c;
}

const kinds: readonly Kind[] = [
  { type: 'image/png', begins: at(0, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) },
  { type: 'image/jpeg', names: ['image/jpg', 'image/pjpeg'], begins: at(0, 0xff, 0xd8, 0xff) },
  { type: 'image/gif', begins: any(word(0, 'GIF87a'), word(0, 'GIF89a')) },
  { type: 'image/webp', begins: all(word(0, 'RIFF'), word(8, 'WEBP')) },
  { type: 'application/pdf', names: ['application/x-pdf'], begins: word(0, '%PDF-') },
  {
    type: 'application/zip',
    names: ['application/x-zip-compressed', 'application/java-archive', 'application/epub+zip'],
    prefixes: ['application/vnd.openxmlformats-officedocument.', 'application/vnd.oasis.opendocument.'],
    begins: any(at(0, 0x50, 0x4b, 3, 4), at(0, 0x50, 0x4b, 5, 6), at(0, 0x50, 0x4b, 7, 8)),
  },
  {
    type: 'audio/wav',
    names: ['audio/x-wav', 'audio/wave', 'audio/vnd.wave'],
    begins: all(word(0, 'RIFF'), word(8, 'WAVE')),
  },
  { type: 'audio/ogg', names: ['application/ogg', 'video/ogg', 'audio/opus'], begins: word(0, 'OggS') },
  { type: 'video/mp4', names: ['audio/mp4', 'audio/x-m4a', 'video/quicktime'], begins: word(4, 'ftyp') },
  { type: 'audio/mpeg', names: ['audio/mp3', 'audio/mpeg3'], begins: any(word(0, 'ID3'), mpegFrame) },
];

const textual =
  /^(?:text\/[a-z0-9.+-]+|application\/(?:json|xml|javascript|ecmascript|sql|toml|yaml|x-yaml|x-ndjson|x-sh|[a-z0-9.-]+\+(?:json|xml)))$/;
/** `type/subtype` in small letters, without its parameters. */
const mimeType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/;
/** Families whose unknown members can do no harm as what they are called; images and texts are shown, and are known. */
const harmless = /^(?:application|audio|video|font|model)\//;

function textOf(head: Buffer): string | null {
  if (head.includes(0)) return null;
  try {
    // The last character may be cut.
    return new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** What a browser would take for a page. */
function looksLikeHtml(text: string): boolean {
  const start = text.slice(0, 1024).trimStart().toLowerCase();
  return ['<!doctype html', '<html', '<head', '<body', '<script', '<iframe', '<style'].some((tag) =>
    start.startsWith(tag),
  );
}

function isKnown(type: string, kind: Kind): boolean {
  return (
    kind.type === type || kind.names?.includes(type) === true || kind.prefixes?.some((p) => type.startsWith(p)) === true
  );
}

/**
 * The MIME type under which content is kept (RP-7.22): what its sender says, if the content can be that; else what it
 * looks like. Only what begins like an image is one: a text that draws a picture can also carry a script.
 */
export function storedMimeType(head: Buffer, claimed: string): string {
  const said = (claimed.split(';', 1)[0] ?? '').trim().toLowerCase();
  const claim = mimeType.test(said) ? said : BINARY;
  const kind = kinds.find(({ begins }) => begins(head));
  if (kind !== undefined) return isKnown(claim, kind) ? claim : kind.type;
  const text = textOf(head);
  if (text !== null) {
    if (textual.test(claim)) return claim;
    return looksLikeHtml(text) ? HTML : TEXT;
  }
  const isOther = harmless.test(claim) && !textual.test(claim) && !kinds.some((each) => isKnown(claim, each));
  return isOther ? claim : BINARY;
}
