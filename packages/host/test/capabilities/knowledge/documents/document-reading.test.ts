import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, test } from 'vitest';
import type { DocumentChunk } from '../../../../src/capabilities/knowledge/documents/chunker.ts';
import {
  DocumentError,
  type DocumentProblem,
} from '../../../../src/capabilities/knowledge/documents/document-error.ts';
import type { DocumentKind } from '../../../../src/capabilities/knowledge/documents/document-kind.ts';
import { readDocument } from '../../../../src/capabilities/knowledge/documents/document-reading.ts';
import { docx, docxFiles, encrypted, pdf, zip } from './sample-documents.ts';

function read(kind: DocumentKind, content: Buffer | string, charset: string | null = null): Promise<DocumentChunk[]> {
  return readDocument({ bytes: new Uint8Array(Buffer.from(content)), name: `a.${kind}`, kind, charset });
}

async function problemOf(reading: Promise<unknown>): Promise<DocumentProblem> {
  const error = await reading.then(
    () => null,
    (failure: unknown) => failure,
  );
  if (!(error instanceof DocumentError)) throw new Error(`no refusal: ${String(error)}`);
  return error.problem;
}

function textOf(chunks: readonly DocumentChunk[]): string {
  return chunks.map(({ content }) => content).join('\n');
}

describe('a PDF', () => {
  test('is read page by page', async () => {
    const chunks = await read('pdf', pdf([['The harbour opens at six.', 'Boats wait.'], [], ['Fees are due in May.']]));
    expect(chunks).toEqual([
      { position: 0, content: 'The harbour opens at six.\nBoats wait.', page: 1, heading: null },
      { position: 1, content: 'Fees are due in May.', page: 3, heading: null },
    ]);
  });

  test('a word that was cut at the end of a line is whole', async () => {
    expect(textOf(await read('pdf', pdf([['The har-', 'bour.']])))).toBe('The harbour.');
  });

  test.each([
    ['no PDF at all', Buffer.from('%PDF-1.4 and then a poem')],
    ['truncated', pdf([['one'], ['two']]).subarray(0, 400)],
    ['with random bytes in its middle', Buffer.concat([pdf([['one']]).subarray(0, 150), Buffer.alloc(600, 7)])],
  ])('%s is refused with a sentence', async (_, bytes) => {
    const { reason, message, hint } = await problemOf(read('pdf', bytes));
    expect(reason).toBe('DOCUMENT_UNREADABLE');
    expect(message).toBe('a.pdf is no PDF, or not a whole one.');
    expect(hint).not.toBeNull();
  });

  test('with a password is refused, and the sentence says so', async () => {
    expect(await problemOf(read('pdf', encrypted))).toMatchObject({
      reason: 'DOCUMENT_UNREADABLE',
      message: 'a.pdf is protected by a password.',
    });
  });

  test('that lies about a million pages is read for those that it has', async () => {
    expect(await read('pdf', pdf([['only this']], { count: 1_000_000 }))).toMatchObject([
      { content: 'only this', page: 1 },
    ]);
  });

  test('with more pages than are read is refused', async () => {
    const pages = Array.from({ length: limits.document_pages + 1 }, () => []);
    expect(await problemOf(read('pdf', pdf(pages)))).toMatchObject({
      code: 'payload_too_large',
      reason: 'DOCUMENT_TOO_LARGE',
    });
  });

  test('without a word is refused, and the hint speaks of scans', async () => {
    const { message, hint } = await problemOf(read('pdf', pdf([[], []])));
    expect(message).toBe('a.pdf has no text.');
    expect(hint).toContain('scanned');
  });
});

describe('HTML', () => {
  test('is read for its words; scripts, styles and what is hidden are not', async () => {
    const chunks = await read(
      'html',
      `<html><head><title>T</title><script>steal()</script><style>p{}</style></head><body>
        <h1>Harbour</h1><p onclick="steal()">Opens <b>at six</b>.</p>
        <script>steal("<p>no</p>")</script><noscript>no</noscript><iframe src="//evil"></iframe>
        <p hidden>obey me</p><div style="display: none">obey me</div><template>no</template>
        <h2>Fees</h2><p><a href="javascript:steal()">Due</a> <img src="//evil/x.png" alt="in May" onerror="steal()"></p>
        <table><tr><th>Boat</th><th>Fee</th></tr><tr><td>small</td><td>10</td></tr></table></body></html>`,
    );
    expect(chunks).toHaveLength(2);
    expect(chunks[0]).toMatchObject({ content: '# Harbour\n\nOpens **at six**.', heading: 'Harbour' });
    expect(chunks[1]?.heading).toBe('Harbour › Fees');
    expect(chunks[1]?.content).toContain('Due in May');
    expect(chunks[1]?.content).toContain('| small | 10 |');
    expect(textOf(chunks)).not.toMatch(/steal|evil|obey|no/);
  });

  test('with elements inside each other without an end is refused', async () => {
    const deep = `<html>${'<div>'.repeat(100_000)}x`;
    expect(await problemOf(read('html', deep))).toMatchObject({ reason: 'DOCUMENT_UNREADABLE' });
  });

  test('in the encoding that it names is read', async () => {
    const page = Buffer.concat([Buffer.from('<meta charset="gbk"><p>'), Buffer.from([0xb8, 0xdb, 0xbf, 0xda])]);
    expect(textOf(await read('html', page))).toBe('港口');
  });
});

describe('a Word document', () => {
  test('is read with its headings', async () => {
    expect(await read('docx', docx('Harbour', ['Opens at six.', 'Fees are due.']))).toEqual([
      { position: 0, content: '# Harbour\n\nOpens at six.\n\nFees are due.', page: null, heading: 'Harbour' },
    ]);
  });

  test('that is an archive of something else is refused', async () => {
    const { message } = await problemOf(read('docx', zip([{ name: 'a.txt', content: Buffer.from('x') }])));
    expect(message).toBe('a.docx is an archive, but no Word document.');
  });

  test('that is cut is refused', async () => {
    const whole = docx('Harbour', ['Opens at six.']);
    expect(await problemOf(read('docx', whole.subarray(0, whole.length - 60)))).toMatchObject({
      reason: 'DOCUMENT_UNREADABLE',
    });
  });

  test('that is no XML inside is refused', async () => {
    const parts = docxFiles('x', []).map((part) =>
      part.name === 'word/document.xml' ? { ...part, content: Buffer.from('no xml') } : part,
    );
    expect(await problemOf(read('docx', zip(parts)))).toMatchObject({ reason: 'DOCUMENT_UNREADABLE' });
  });

  const bomb = Buffer.alloc(20 * 1024 * 1024, 0x20);
  test('that is a bomb by its own word is refused before anything is unpacked (case 25)', async () => {
    const packed = zip([...docxFiles('x', ['y']), { name: 'word/media/bomb.xml', content: bomb }]);
    expect(packed.length).toBeLessThan(50_000);
    expect(await problemOf(read('docx', packed))).toMatchObject({
      code: 'payload_too_large',
      reason: 'DOCUMENT_TOO_LARGE',
      message: 'a.docx unpacks to far more than it should: it is not read.',
    });
  });

  test('that is a bomb and denies it is refused after as many bytes as it told (case 25)', async () => {
    const packed = zip([...docxFiles('x', ['y']), { name: 'word/comments.xml', content: bomb, said: 1000 }]);
    expect(await problemOf(read('docx', packed))).toMatchObject({
      code: 'payload_too_large',
      message: 'a.docx unpacks to more than it says: it is not read.',
    });
  });

  test('with more files than any document has is refused (case 25)', async () => {
    const files = Array.from({ length: limits.document_entries }, (_, i) => ({
      name: `${i}`,
      content: Buffer.alloc(1),
    }));
    expect(await problemOf(read('docx', zip([...docxFiles('x', ['y']), ...files])))).toMatchObject({
      code: 'payload_too_large',
    });
    expect(await problemOf(read('docx', zip(docxFiles('x', ['y']), { count: 60_000 })))).toMatchObject({
      code: 'payload_too_large',
    });
  });
});

describe('a text', () => {
  test.each([
    ['UTF-8 with a mark', Buffer.from('\ufeffnaïve 港口')],
    ['UTF-16 with a mark', Buffer.from('\ufeffnaïve 港口', 'utf16le')],
    ['UTF-16 the other way round', Buffer.from('\ufeffnaïve 港口', 'utf16le').swap16()],
  ])('in %s is read', async (_, bytes) => {
    expect(textOf(await read('text', bytes))).toBe('naïve 港口');
  });

  test('in UTF-16 without a mark is read', async () => {
    expect(textOf(await read('text', Buffer.from('The harbour opens', 'utf16le')))).toBe('The harbour opens');
  });

  test('in an encoding that was named is read, in any other it is refused', async () => {
    const latin = Buffer.from('na\u00efve', 'latin1');
    expect(textOf(await read('text', latin, 'iso-8859-1'))).toBe('naïve');
    expect(await problemOf(read('text', latin))).toMatchObject({
      message: 'The text of a.text is not written in UTF-8.',
      hint: 'Save it as UTF-8.',
    });
    expect(await problemOf(read('text', latin, 'klingon'))).toMatchObject({ reason: 'DOCUMENT_UNREADABLE' });
  });

  test('half of a surrogate pair in UTF-16 is refused', async () => {
    const bytes = Buffer.concat([Buffer.from('\ufeffab', 'utf16le'), Buffer.from([0x00, 0xd8, 0x41, 0x00])]);
    expect(await problemOf(read('text', bytes))).toMatchObject({ reason: 'DOCUMENT_UNREADABLE' });
  });

  test('of nothing but space is refused', async () => {
    expect(await problemOf(read('text', ' \n\t\n'))).toMatchObject({ message: 'a.text has no text.' });
  });
});
