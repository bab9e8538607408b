import type { KnowledgeStore, NewChunk } from '../../../src/store/ports/knowledge.ts';
import { chunksOf, searchFor, textsOf } from '../ports/knowledge-rows.ts';

const parts = 40;

/** One pass over a document: all of its chunks say which. */
export function passOfText(pass: number): NewChunk[] {
  const all = Array.from({ length: parts }, (_, n) => n);
  return chunksOf(
    all.map((n) => `common words of pass ${pass}, part ${n}`),
    all.map((n) => [1, n / 100, pass % 7]),
  );
}

/** The passes that words and vectors find something of, and how much. */
export async function passesFound(knowledge: KnowledgeStore): Promise<{ passes: number[]; parts: number[] }> {
  const vector = { model_id: 'm', values: Float32Array.from([1, 0, 0]) };
  const byWords = await textsOf(knowledge, searchFor('kb', { words: 'common', vector, limit: 100 }));
  const byVector = await textsOf(knowledge, searchFor('kb', { vector, limit: 100 }));
  const passes = new Set([...byWords, ...byVector].map((text) => Number(/pass (\d+)/.exec(text)?.[1])));
  return { passes: [...passes], parts: [byWords.length / parts, byVector.length / parts] };
}
