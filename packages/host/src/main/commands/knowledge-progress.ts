import { setTimeout as sleep } from 'node:timers/promises';
import type { RostraClient } from '@rostra/client';
import type { KnowledgeDocument } from '@rostra/protocol/run-api/knowledge-api';
import { endProgress, progress, short, shown } from './printing.ts';

const EVERY = 200;

function isOver({ status }: KnowledgeDocument): boolean {
  return status === 'ready' || status === 'failed';
}

function wordsOf({ name, status, done, total }: KnowledgeDocument): string {
  const title = short(shown(name), 40);
  if (status === 'waiting') return `${title}: waits`;
  return total === 0
    ? `${title}: is being read`
    : `${title}: ${done} of ${total} (${Math.floor((100 * done) / total)} %)`;
}

/** Until every document is indexed or failed; tells a person how far that is. */
export async function untilIndexed(
  { knowledge }: RostraClient,
  kbId: string,
  documents: readonly KnowledgeDocument[],
): Promise<KnowledgeDocument[]> {
  const ended: KnowledgeDocument[] = [];
  for (const [index, begun] of documents.entries()) {
    const place = documents.length > 1 ? `[${index + 1}/${documents.length}] ` : '';
    let document = begun;
    while (!isOver(document)) {
      progress(`${place}${wordsOf(document)}`);
      await sleep(EVERY);
      document = await knowledge.document(kbId, begun.id);
    }
    ended.push(document);
  }
  endProgress();
  return ended;
}

/** One line for each, and what to do about those that failed. */
export function resultsOf(documents: readonly KnowledgeDocument[]): string {
  const lines = documents.map(({ name, status, chunks, problem }) => {
    if (problem === null) return `${shown(name)}: ${status}, ${chunks} chunks`;
    return `${shown(problem.message)}${problem.hint === null ? '' : `\n→ ${shown(problem.hint)}`}`;
  });
  return `${lines.join('\n')}\n`;
}
