/** A part of a text that belongs together: a heading, or a paragraph, list or piece of code. */
export type TextBlock =
  | { readonly is: 'heading'; readonly level: number; readonly title: string; readonly text: string }
  | { readonly is: 'text'; readonly text: string };

const heading = /^ {0,3}(#{1,6})(?:[ \t]|$)/;
const underline = /^ {0,3}(?:=+|-{2,})[ \t]*$/;
const fence = /^ {0,3}(`{3,}|~{3,})/;

/** `## Title ##` */
function titleOf(line: string): string {
  return line.replace(heading, '').trim().replace(/ #+$/, '').trim();
}

/** Reads Markdown line by line, as far as its structure says what belongs together. */
class MarkdownBlocks {
  #lines: string[] = [];
  /** How the code under way ends; null outside of code. */
  #fence: string | null = null;

  *read(text: string): Generator<TextBlock, void> {
    for (const line of text.split('\n')) yield* this.#line(line);
    yield* this.#end();
  }

  *#line(line: string): Generator<TextBlock, void> {
    const mark = fence.exec(line)?.[1] ?? null;
    if (this.#fence !== null) {
      this.#lines.push(line);
      if (mark?.startsWith(this.#fence) === true) this.#fence = null;
      return;
    }
    if (mark !== null) {
      this.#fence = mark;
      this.#lines.push(line);
      return;
    }
    const level = heading.exec(line)?.[1]?.length;
    if (level !== undefined) {
      yield* this.#end();
      yield { is: 'heading', level, title: titleOf(line), text: line.trim() };
      return;
    }
    const [above, ...more] = this.#lines;
    if (above !== undefined && more.length === 0 && underline.test(line)) {
      this.#lines = [];
      yield { is: 'heading', level: line.includes('=') ? 1 : 2, title: above.trim(), text: above.trim() };
      return;
    }
    if (line.trim() === '') yield* this.#end();
    else this.#lines.push(line);
  }

  *#end(): Generator<TextBlock, void> {
    const text = this.#lines.join('\n');
    this.#lines = [];
    if (text.trim() !== '') yield { is: 'text', text };
  }
}

/** The blocks of a text; only Markdown has headings. */
export function* blocksOf(text: string, isMarkdown: boolean): Generator<TextBlock, void> {
  if (isMarkdown) {
    yield* new MarkdownBlocks().read(text);
    return;
  }
  for (const block of text.split(/\n[ \t]*\n/)) if (block.trim() !== '') yield { is: 'text', text: block };
}
