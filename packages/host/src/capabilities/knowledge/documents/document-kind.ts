import { storedMimeType } from '../../../store/artifacts/mime-sniff.ts';
import { unreadable } from './document-error.ts';
import { decodeBeginning, isText } from './text-decoding.ts';

export type DocumentKind = 'text' | 'markdown' | 'html' | 'pdf' | 'docx';

/** The type under which a document of each kind is kept: from it the kind is known again. */
export const mimeTypeOf: Readonly<Record<DocumentKind, string>> = {
  text: 'text/plain',
  markdown: 'text/markdown',
  html: 'text/html',
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
};

const kindsByType = new Map<string, DocumentKind>([
  ['text/plain', 'text'],
  ['text/markdown', 'markdown'],
  ['text/x-markdown', 'markdown'],
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ['application/pdf', 'pdf'],
  ['application/x-pdf', 'pdf'],
  [mimeTypeOf.docx, 'docx'],
]);

const kindsByEnding = new Map<string, DocumentKind>([
  ['txt', 'text'],
  ['text', 'text'],
  ['md', 'markdown'],
  ['markdown', 'markdown'],
  ['html', 'html'],
  ['htm', 'html'],
  ['xhtml', 'html'],
  ['pdf', 'pdf'],
  ['docx', 'docx'],
]);

const names: Readonly<Record<DocumentKind, string>> = {
  text: 'a text',
  markdown: 'Markdown',
  html: 'HTML',
  pdf: 'a PDF',
  docx: 'a Word document',
};

const TAKEN = 'Add a text, Markdown, HTML, a PDF or a Word document (.docx).';
/** Texts of other kinds are read as they stand. */
const textual =
  /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|toml|sql|javascript|x-ndjson|x-sh|[\w.-]+\+(?:json|xml))$)/;
/** The container of older office files, and of newer ones with a password. */
const OLE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);

/** What a sender says of a file. */
export interface Said {
  readonly name: string;
  readonly content_type: string | null;
}

export function kindOf(mime_type: string): DocumentKind {
  const kind = kindsByType.get(mime_type);
  if (kind === undefined) throw new Error(`no document is kept as ${mime_type}`);
  return kind;
}

/** `text/html; charset=gbk` */
export function charsetOf(content_type: string | null): string | null {
  return /;\s*charset="?([\w.:-]{1,40})"?/i.exec(content_type ?? '')?.[1]?.toLowerCase() ?? null;
}

function claimsOf({ name, content_type }: Said): DocumentKind[] {
  const type = (content_type?.split(';', 1)[0] ?? '').trim().toLowerCase();
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const isUnsaid = type === '' || type === 'application/octet-stream';
  if (!isUnsaid && !kindsByType.has(type) && !textual.test(type)) {
    throw unreadable(`${name} is said to be ${type.slice(0, 128)}: such files are not read.`, TAKEN);
  }
  return [kindsByType.get(type), kindsByEnding.get(ending)].filter((kind) => kind !== undefined);
}

/** A kind that has bytes of its own to begin with; null for a text. */
function packedKind(head: Buffer, { name }: Said, claims: readonly DocumentKind[]): 'pdf' | 'docx' | null {
  if (head.subarray(0, OLE.length).equals(OLE)) {
    throw unreadable(
      `${name} is an older office file, or one with a password.`,
      'Save it as .docx or PDF, without a password.',
    );
  }
  const type = storedMimeType(head, '');
  if (type === 'application/pdf') return 'pdf';
  if (type === 'application/zip') {
    if (claims.includes('docx')) return 'docx';
    throw unreadable(`${name} is an archive.`, 'Add the documents in it one by one.');
  }
  if (isText(head)) return null;
  const seen = type === 'application/octet-stream' ? 'is neither a text nor a PDF' : `is ${type}`;
  throw unreadable(`${name} ${seen}: such files are not read.`, TAKEN);
}

/**
 * What a file is, by its beginning. What its sender says only decides between kinds that look alike: who says something
 * else than the bytes do is refused.
 */
export function documentKind(head: Buffer, said: Said): DocumentKind {
  const claims = claimsOf(said);
  const packed = packedKind(head, said, claims);
  const other = claims.find((claim) => (packed === null ? claim === 'pdf' || claim === 'docx' : claim !== packed));
  if (other !== undefined) {
    throw unreadable(
      `${said.name} is said to be ${names[other]}, but its bytes are not.`,
      'Look whether the file is whole, and whether its name ends as it should.',
    );
  }
  if (packed !== null) return packed;
  const text = decodeBeginning(head, charsetOf(said.content_type), said.name);
  if (/^\s*\{\\rtf/.test(text)) throw unreadable(`${said.name} is RTF: such files are not read.`, TAKEN);
  const claimed = claims.find((claim) => claim !== 'text');
  if (claimed !== undefined) return claimed;
  return claims.length === 0 && /^\s*<(?:!doctype html|html|head|body)[\s>]/i.test(text) ? 'html' : 'text';
}
