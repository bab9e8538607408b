import type { LanguageModelV3ReasoningPart } from '@ai-sdk/provider';
import { limits } from '@rostra/protocol/wire/limits';

export type Thoughts = readonly LanguageModelV3ReasoningPart[];

/**
 * What models thought before they called tools, with the provider's signature: some want to see it again with the
 * results, and runners have no place for it. Each run has its own; the oldest are forgotten, and with them no more than
 * that the model thinks anew.
 */
export class ThoughtMemory {
  readonly #thoughts = new Map<string, Thoughts>();

  keep(run_id: string, call_id: string, thoughts: Thoughts): void {
    this.#thoughts.set(keyOf(run_id, call_id), thoughts);
    const [oldest] = this.#thoughts.keys();
    if (this.#thoughts.size > limits.model_thoughts && oldest !== undefined) this.#thoughts.delete(oldest);
  }

  before(run_id: string, call_id: string): Thoughts {
    return this.#thoughts.get(keyOf(run_id, call_id)) ?? [];
  }
}

/** JSON, so that no two pairs of ids make the same key. */
function keyOf(run_id: string, call_id: string): string {
  return JSON.stringify([run_id, call_id]);
}
