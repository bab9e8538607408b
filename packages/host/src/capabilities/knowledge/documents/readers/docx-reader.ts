import { unreadable } from '../document-error.ts';
import { markdownOfHtml } from './html-reader.ts';
import { checkUnpacked, zipDirectory } from './zip-directory.ts';

const MAIN = 'word/document.xml';

/** Parts that are read as XML; pictures and fonts are never unpacked. */
function isRead(name: string): boolean {
  return /\.(?:xml|rels)$/i.test(name);
}

/** The words of a Word document as Markdown. */
export async function readDocx(bytes: Uint8Array, name: string): Promise<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = zipDirectory(buffer, name);
  if (!entries.some((entry) => entry.name === MAIN)) {
    throw unreadable(`${name} is an archive, but no Word document.`, 'Add the documents in it one by one.');
  }
  for (const entry of entries) if (isRead(entry.name)) checkUnpacked(buffer, entry, name);
  const { default: mammoth } = await import('mammoth');
  const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
  try {
    const { value } = await mammoth.convertToHtml({ buffer }, { convertImage, externalFileAccess: false });
    return await markdownOfHtml(value);
  } catch (error) {
    throw unreadable(`${name} is no Word document, or not a whole one.`, 'Open it in Word, and save it anew.', error);
  }
}
