import { limits } from '@rostra/protocol/wire/limits';
import type { NewChunk } from '../ports/knowledge.ts';

/** Chunks in pieces that the writer takes one at a time: between two of them others commit. */
export function* chunkSteps(chunks: readonly NewChunk[]): Generator<NewChunk[]> {
  let step: NewChunk[] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    const size = chunk.content.length + (chunk.embedding?.byteLength ?? 0);
    const isFull = step.length === limits.knowledge_step_chunks || bytes + size > limits.knowledge_step_bytes;
    if (isFull && step.length > 0) {
      yield step;
      step = [];
      bytes = 0;
    }
    step.push(chunk);
    bytes += size;
  }
  if (step.length > 0) yield step;
}
