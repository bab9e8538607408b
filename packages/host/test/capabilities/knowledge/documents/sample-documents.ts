import { crc32, deflateRawSync } from 'node:zlib';

interface PdfOptions {
  /** How many pages it says to have. */
  count?: number;
  /** Further entries of the trailer. */
  trailer?: string;
}

/** A PDF by hand: one font, and on each page lines from top to bottom. */
export function pdf(
  pages: readonly (readonly string[])[],
  { count = pages.length, trailer = '' }: PdfOptions = {},
): Buffer {
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${count} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  for (const [index, lines] of pages.entries()) {
    const words = lines.map((line) => `(${line}) Tj T*`).join(' ');
    const content = `BT /F1 12 Tf 72 720 Td 14 TL ${words} ET`;
    const contents = `/Contents ${5 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >>`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${contents} >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    );
  }
  let file = '%PDF-1.4\n';
  const rows = objects.map((object, index) => {
    const row = `${String(file.length).padStart(10, '0')} 00000 n \n`;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return row;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}`;
  return Buffer.from(
    `${file}${table}trailer\n<< /Size ${size} /Root 1 0 R ${trailer}>>\nstartxref\n${file.length}\n%%EOF\n`,
    'latin1',
  );
}

const key = '01234567890123456789012345678901';
export const encrypted = pdf([['secret']], {
  trailer: `/Encrypt << /Filter /Standard /V 1 /R 2 /O (${key}) /U (${key}) /P -4 >> /ID [(0123456789012345) (0123456789012345)] `,
});

interface ZipFile {
  name: string;
  content: Buffer;
  /** What the directory says of its size, if that is a lie. */
  said?: number;
}

/** An archive by hand, so that it can lie. */
export function zip(files: readonly ZipFile[], { count = files.length }: { count?: number } = {}): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, content, said = content.length } of files) {
    const packed = deflateRawSync(content);
    const bytes = Buffer.from(name);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(crc32(content), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(said, 18);
    facts.writeUInt16LE(bytes.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    local.push(Buffer.from('PK\u0003\u0004', 'latin1'), facts, bytes, packed);
    central.push(Buffer.from('PK\u0001\u0002', 'latin1'), Buffer.from([20, 0]), facts, place, bytes);
    offset += 4 + facts.length + bytes.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 0, 'latin1');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}

const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const relationships = 'http://schemas.openxmlformats.org/package/2006/relationships';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument';

function paragraph(text: string, style?: string): string {
  const about = style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${about}<w:r><w:t>${text}</w:t></w:r></w:p>`;
}

/** The parts of a Word document with one heading and some paragraphs. */
export function docxFiles(heading: string, paragraphs: readonly string[]): ZipFile[] {
  const body = [paragraph(heading, 'Heading1'), ...paragraphs.map((text) => paragraph(text))].join('');
  const types = 'http://schemas.openxmlformats.org/package/2006/content-types';
  const main = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
  const parts = {
    '[Content_Types].xml': `<Types xmlns="${types}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${main}"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${relationships}"><Relationship Id="r1" Type="${office}" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `<w:document xmlns:w="${word}"><w:body>${body}</w:body></w:document>`,
    'word/styles.xml': `<w:styles xmlns:w="${word}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
  };
  return Object.entries(parts).map(([name, xml]) => ({
    name,
    content: Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${xml}`),
  }));
}

export function docx(heading: string, paragraphs: readonly string[]): Buffer {
  return zip(docxFiles(heading, paragraphs));
}
