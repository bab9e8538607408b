import { limits } from '@rostra/protocol/wire/limits';
import type { NewChunk } from '../../../store/ports/knowledge.ts';
import type { DocumentPage } from './document-page.ts';
import { blocksOf } from './text-blocks.ts';
import { overlapOf, piecesOf } from './text-cut.ts';

export type DocumentChunk = Omit<NewChunk, 'embedding'>;

export interface ChunkSize {
  readonly chars: number;
  readonly overlap: number;
}

const usual: ChunkSize = { chars: limits.chunk_text_chars, overlap: limits.chunk_overlap_chars };

/**
 * Cuts a document into chunks that are found by themselves. A chunk ends where a section or a page does, otherwise
 * between paragraphs or sentences, and then the next one repeats its end.
 */
class Chunker {
  readonly #size: ChunkSize;
  /** The headings above, one to a level. */
  #path: { level: number; title: string }[] = [];
  #page: number | null = null;
  #text = '';
  /** How much of `#text` is new: without anything new it is no chunk. */
  #fresh = 0;
  #position = 0;

  constructor(size: ChunkSize) {
    this.#size = size;
  }

  *read({ page, text }: DocumentPage, isMarkdown: boolean): Generator<DocumentChunk, void> {
    this.#page = page;
    // Headings without a word of their own stand before what comes below them.
    let above = '';
    for (const block of blocksOf(text, isMarkdown)) {
      if (block.is === 'heading') {
        yield* this.#endSection();
        this.#enter(block.level, block.title);
        above = above === '' ? block.text : `${above}\n\n${block.text}`;
        continue;
      }
      yield* this.#add(above === '' ? block.text : `${above}\n\n${block.text}`);
      above = '';
    }
    if (above !== '') yield* this.#add(above);
    yield* this.#endSection();
  }

  #enter(level: number, title: string): void {
    this.#path = [...this.#path.filter((above) => above.level < level), { level, title }];
  }

  *#add(block: string): Generator<DocumentChunk, void> {
    const { chars, overlap } = this.#size;
    let glue = '\n\n';
    for (const piece of piecesOf(block, chars, chars - overlap - glue.length)) {
      if (this.#fresh > 0 && this.#text.length + glue.length + piece.length > chars) {
        yield* this.#emit();
        const repeated = overlapOf(this.#text, overlap);
        this.#text = repeated.length + glue.length + piece.length > chars ? '' : repeated;
      }
      this.#text = this.#text === '' ? piece : `${this.#text}${glue}${piece}`;
      this.#fresh += piece.length;
      glue = '';
    }
  }

  *#endSection(): Generator<DocumentChunk, void> {
    if (this.#fresh > 0) yield* this.#emit();
    this.#text = '';
  }

  *#emit(): Generator<DocumentChunk, void> {
    const content = this.#text.trim();
    this.#fresh = 0;
    if (content === '') return;
    const heading = this.#path.map(({ title }) => title).filter((title) => title !== '');
    const above = heading.length === 0 ? null : heading.join(' › ');
    yield { position: this.#position, content, page: this.#page, heading: above };
    this.#position += 1;
  }
}

export function* chunksOf(
  pages: Iterable<DocumentPage>,
  isMarkdown: boolean,
  size: ChunkSize = usual,
): Generator<DocumentChunk, void> {
  const chunker = new Chunker(size);
  for (const page of pages) yield* chunker.read(page, isMarkdown);
}
