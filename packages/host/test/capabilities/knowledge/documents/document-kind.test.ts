import { expect, test } from 'vitest';
import { DocumentError } from '../../../../src/capabilities/knowledge/documents/document-error.ts';
import { documentKind, kindOf, mimeTypeOf } from '../../../../src/capabilities/knowledge/documents/document-kind.ts';
import { docx, pdf } from './sample-documents.ts';

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
const ole = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0]);
const page = Buffer.from('<!doctype html><p>x</p>');
const words = Buffer.from('# Some words');
const paper = pdf([['x']]);
const letter = docx('x', ['y']);

test.each([
  ['a.pdf', 'application/pdf', paper, 'pdf'],
  ['unnamed', null, paper, 'pdf'],
  ['a.docx', 'application/octet-stream', letter, 'docx'],
  ['a', mimeTypeOf.docx, letter, 'docx'],
  ['a.md', 'text/plain', words, 'markdown'],
  ['a.md', null, words, 'markdown'],
  ['a.txt', 'text/plain; charset=utf-8', words, 'text'],
  ['a.txt', null, page, 'text'],
  ['a', null, page, 'html'],
  ['a.htm', 'text/html', page, 'html'],
  ['a.csv', 'text/csv', Buffer.from('a,b'), 'text'],
  ['a.json', 'application/json', Buffer.from('{}'), 'text'],
  ['a.txt', null, Buffer.from('\ufeffwide', 'utf16le'), 'text'],
  ['cut.txt', null, Buffer.from('港口').subarray(0, 5), 'text'],
])('%s said to be %s is taken for what its bytes are', (name, content_type, head, kind) => {
  expect(documentKind(head, { name, content_type })).toBe(kind);
});

test.each([
  ['a.pdf', null, words, 'is said to be a PDF, but its bytes are not'],
  ['a.txt', 'application/pdf', words, 'is said to be a PDF, but its bytes are not'],
  ['a.txt', null, paper, 'is said to be a text, but its bytes are not'],
  ['a.pdf', null, letter, 'is an archive'],
  ['a.docx', null, paper, 'is said to be a Word document, but its bytes are not'],
  ['a.docx', null, words, 'is said to be a Word document, but its bytes are not'],
  ['a.zip', null, letter, 'is an archive'],
  ['a.html', 'text/html', paper, 'is said to be HTML, but its bytes are not'],
  ['page.pdf', null, Buffer.concat([page, paper]), 'is said to be a PDF, but its bytes are not'],
  ['a.png', null, png, 'is image/png'],
  ['a.txt', 'image/png', words, 'is said to be image/png'],
  ['a.doc', null, ole, 'is an older office file, or one with a password'],
  ['a.rtf', null, Buffer.from('{\\rtf1 x}'), 'is RTF'],
  ['a.txt', null, Buffer.from([0x74, 0, 1, 2, 3]), 'is neither a text nor a PDF'],
  ['a.txt', null, Buffer.from([0x61, 0xe4, 0x62]), 'is not written in UTF-8'],
])('%s said to be %s is refused when its bytes are something else', (name, content_type, head, message) => {
  expect(() => documentKind(head, { name, content_type })).toThrow(DocumentError);
  expect(() => documentKind(head, { name, content_type })).toThrow(message);
});

test('the type under which a document is kept tells its kind again', () => {
  for (const [kind, type] of Object.entries(mimeTypeOf)) expect(kindOf(type)).toBe(kind);
});
