/** A fenced block of a document. */
export interface Snippet {
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** Why it is not run; null when it is. */
  readonly notRun: string | null;
  /** Whether the host that the document talks to has this configuration. */
  readonly isHost: boolean;
}

const FENCE = /^```(\S*) ?(.*)$/;
const NOT_RUN = /^no-run: (.{10,})$/;

/**
 * The blocks of a document in their order. What stands behind the language is for this test alone and not shown to
 * readers: `no-run: <why>`, or `host` for the configuration of the host that the other blocks talk to.
 */
export function snippetsOf(document: string): Snippet[] {
  const snippets: Snippet[] = [];
  let open: { line: number; language: string; mark: string; lines: string[] } | null = null;
  for (const [index, line] of document.split('\n').entries()) {
    const fence = FENCE.exec(line);
    if (open === null) {
      if (fence !== null) open = { line: index + 1, language: fence[1] ?? '', mark: fence[2] ?? '', lines: [] };
    } else if (line === '```') {
      snippets.push(snippet(open));
      open = null;
    } else open.lines.push(line);
  }
  if (open !== null) throw new Error(`the block of line ${open.line} has no end`);
  return snippets;
}

function snippet({ line, language, mark, lines }: { line: number; language: string; mark: string; lines: string[] }) {
  const notRun = NOT_RUN.exec(mark)?.[1] ?? null;
  if (mark !== '' && mark !== 'host' && notRun === null) throw new Error(`line ${line}: nobody knows the mark ${mark}`);
  return { line, language, text: lines.join('\n'), notRun, isHost: mark === 'host' };
}
