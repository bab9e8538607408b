import { limits } from '@rostra/protocol/wire/limits';
import { chunksOf, type DocumentChunk } from './chunker.ts';
import { unreadable } from './document-error.ts';
import type { DocumentKind } from './document-kind.ts';
import type { DocumentPage } from './document-page.ts';
import { readDocx } from './readers/docx-reader.ts';
import { isTooDeep, markdownOfHtml } from './readers/html-reader.ts';
import { readPdf, tooMuchText } from './readers/pdf-reader.ts';
import { decodeText } from './text-decoding.ts';

/** A file to be read. */
export interface DocumentFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly name: string;
  readonly kind: DocumentKind;
  /** The encoding that its sender named. */
  readonly charset: string | null;
}

const SCANNED = 'If it was scanned, let a program recognize its text first.';

async function pagesOf({ bytes, name, kind, charset }: DocumentFile): Promise<DocumentPage[]> {
  switch (kind) {
    case 'pdf':
      return await readPdf(bytes, name);
    case 'docx':
      return [{ page: null, text: await readDocx(bytes, name) }];
    case 'html':
      return [{ page: null, text: await htmlText(decodeText(bytes, charset, name), name) }];
    case 'markdown':
    case 'text':
      return [{ page: null, text: decodeText(bytes, charset, name) }];
  }
}

async function htmlText(html: string, name: string): Promise<string> {
  if (html.length > limits.document_text_chars) throw tooMuchText(name);
  if (isTooDeep(html)) throw unreadable(`${name} is no HTML that can be read.`, 'Save the page anew, or add its text.');
  return await markdownOfHtml(html);
}

/** All that can be found of a document; a refusal is a DocumentError. */
export async function readDocument(file: DocumentFile): Promise<DocumentChunk[]> {
  const pages = await pagesOf(file);
  const size = pages.reduce((sum, { text }) => sum + text.length, 0);
  if (size > limits.document_text_chars) throw tooMuchText(file.name);
  const isMarkdown = file.kind === 'markdown' || file.kind === 'html' || file.kind === 'docx';
  const chunks = [...chunksOf(pages, isMarkdown)];
  if (chunks.length > 0) return chunks;
  throw unreadable(`${file.name} has no text.`, file.kind === 'pdf' ? SCANNED : 'Add a document with text in it.');
}
