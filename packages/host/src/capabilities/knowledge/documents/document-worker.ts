import { parentPort } from 'node:worker_threads';
import { limits } from '@rostra/protocol/wire/limits';
import { utf8Length } from '@rostra/protocol/wire/utf8-length';
import type { DocumentChunk } from './chunker.ts';
import { DocumentError, type DocumentProblem } from './document-error.ts';
import { type DocumentFile, readDocument } from './document-reading.ts';

/** What the host asks of the thread: to read one file, then for some of its chunks, again and again. */
export type WorkerAsk = { readonly read: DocumentFile } | 'more';

export type WorkerAnswer =
  | { readonly total: number }
  | { readonly problem: DocumentProblem }
  | { readonly chunks: readonly DocumentChunk[] };

/** A few of them: what the host can take at once without holding its event loop or the store's writer. */
export function stepOf(chunks: readonly DocumentChunk[], from: number): readonly DocumentChunk[] {
  let [to, bytes] = [from, 0];
  while (to < chunks.length && to - from < limits.document_step_chunks) {
    bytes += utf8Length(chunks[to]?.content ?? '');
    if (to > from && bytes > limits.document_step_bytes) break;
    to += 1;
  }
  return chunks.slice(from, to);
}

function serve(port: NonNullable<typeof parentPort>): void {
  let chunks: readonly DocumentChunk[] = [];
  let given = 0;
  const answer = (words: WorkerAnswer) => port.postMessage(words);

  async function read(file: DocumentFile): Promise<void> {
    try {
      chunks = await readDocument(file);
      answer({ total: chunks.length });
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      answer({ problem: error.problem });
    }
  }

  port.on('message', (ask: WorkerAsk) => {
    if (ask !== 'more') {
      void read(ask.read);
      return;
    }
    const step = stepOf(chunks, given);
    given += step.length;
    answer({ chunks: step });
  });
}

if (parentPort !== null) serve(parentPort);
