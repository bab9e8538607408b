import { ApiError } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { storedMimeType } from '../store/artifacts/mime-sniff.ts';

const BINARY = 'application/octet-stream';
const TEXT = 'text/plain';

/** The images of the HEIF family, by the brand that they begin with. */
const brands: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  avis: 'image/avif',
  heic: 'image/heic',
  heix: 'image/heic',
  heim: 'image/heic',
  heis: 'image/heic',
  mif1: 'image/heic',
};
const bitmapHeaders: ReadonlySet<number> = new Set([12, 40, 52, 56, 64, 108, 124]);

/** Other names of a type, as browsers and systems write them. */
const otherNames: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/heif': 'image/heic',
  'image/x-ms-bmp': 'image/bmp',
  'image/x-bmp': 'image/bmp',
  'application/x-pdf': 'application/pdf',
};

/** Texts whose kind only their name tells. */
const textsByName: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  md: 'text/markdown',
};

function imageOf(head: Buffer): string | null {
  if (head.toString('latin1', 4, 8) === 'ftyp') return brands[head.toString('latin1', 8, 12)] ?? null;
  if (head.length < 26 || head.toString('latin1', 0, 2) !== 'BM') return null;
  // Two letters begin many texts: a bitmap has a known header after them.
  return head.readUInt32LE(6) === 0 && bitmapHeaders.has(head.readUInt32LE(14)) ? 'image/bmp' : null;
}

const pages: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);

export function refuse(message: string, details: JsonObject = {}): ApiError {
  return new ApiError('invalid_argument', message, {
    details: { hint: 'Send an image, a PDF, an office file, an archive, audio, video or plain text.', ...details },
  });
}

function plainType(declared: string | null): string {
  const said = (declared?.split(';', 1)[0] ?? '').trim().toLowerCase();
  return otherNames[said] ?? said;
}

/** What the bytes can be called: what their sender says, if they can be that. */
function typeOf(head: Buffer, said: string): string {
  const image = imageOf(head);
  if (image !== null) return image;
  const seen = storedMimeType(head, said);
  return otherNames[seen] ?? seen;
}

/**
 * The type of an upload, by its beginning and the name of its first element. Who says something else than the bytes do
 * is refused, and so is what could carry a script (threat of stored pages): a drawing always, and a page unless it is
 * shown as plain text.
 */
export function fileKind(head: Buffer, root: string | null, declared: string | null, filename: string): string {
  const said = plainType(declared);
  const isUnsaid = said === '' || said === BINARY;
  const type = typeOf(head, said);
  if (root === 'svg' || said === 'image/svg+xml') throw refuse('SVG images are not taken');
  const isPage = pages.has(type) || pages.has(said) || (root === 'html' && said !== TEXT);
  if (isPage) throw refuse('HTML pages are not taken');
  if (!isUnsaid && type !== said) {
    throw refuse(`the file is said to be ${said.slice(0, 128)}, but its bytes are not`, { mimeType: type });
  }
  if (type === BINARY) throw refuse('files of this kind are not taken');
  if (!isUnsaid || type !== TEXT) return type;
  const ending = /\.(\w+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
  return textsByName[ending] ?? TEXT;
}
