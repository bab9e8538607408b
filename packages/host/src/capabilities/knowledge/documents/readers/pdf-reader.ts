import { limits } from '@rostra/protocol/wire/limits';
import { tooLarge, unreadable } from '../document-error.ts';
import type { DocumentPage } from '../document-page.ts';
import { cleanText } from '../text-decoding.ts';

interface Words {
  readonly str: string;
  readonly hasEOL: boolean;
}

/** Lines as they stand on the page; a word that was cut at the end of a line is whole again. */
function textOf(items: readonly object[]): string {
  const words = items.filter((item): item is Words => 'str' in item && 'hasEOL' in item);
  const text = words.map(({ str, hasEOL }) => (hasEOL ? `${str}\n` : str)).join('');
  return cleanText(text).replace(/(\p{L})[-\u00ad]\n(?=\p{Ll})/gu, '$1');
}

async function open(bytes: Uint8Array, name: string) {
  const { getDocumentProxy } = await import('unpdf');
  try {
    return await getDocumentProxy(bytes, { verbosity: 0 });
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') {
      throw unreadable(`${name} is protected by a password.`, 'Save it without one, and add that.', error);
    }
    throw unreadable(`${name} is no PDF, or not a whole one.`, 'Open it in a PDF viewer, and save it anew.', error);
  }
}

/** The pages of a PDF that have words. */
export async function readPdf(bytes: Uint8Array, name: string): Promise<DocumentPage[]> {
  const pdf = await open(bytes, name);
  if (pdf.numPages > limits.document_pages) {
    throw tooLarge(
      `${name} has ${pdf.numPages} pages; at most ${limits.document_pages} are read.`,
      'Split it into several documents.',
    );
  }
  const pages: DocumentPage[] = [];
  let size = 0;
  for (let page = 1; page <= pdf.numPages; page += 1) {
    const text = await pageText(pdf, page, name);
    size += text.length;
    if (size > limits.document_text_chars) throw tooMuchText(name);
    if (text.trim() !== '') pages.push({ page, text });
  }
  return pages;
}

async function pageText(pdf: Awaited<ReturnType<typeof open>>, number: number, name: string): Promise<string> {
  try {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    return textOf(items);
  } catch (error) {
    throw unreadable(`Page ${number} of ${name} cannot be read.`, 'Open it in a PDF viewer, and save it anew.', error);
  }
}

export function tooMuchText(name: string): Error {
  return tooLarge(
    `${name} has more than ${limits.document_text_chars / 1_000_000} million characters.`,
    'Split it into several documents.',
  );
}
