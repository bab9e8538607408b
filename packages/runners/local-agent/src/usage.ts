import type { JsonObject, ModelUsage } from '@rostra/runner-sdk';

/** What the models of one run have used so far. What none of them told is absent: unknown is not none. */
export class UsageCount {
  readonly #sums = new Map<string, number>();
  #model: string | null = null;

  add(model_id: string, usage: ModelUsage | null): void {
    if (usage === null) return;
    this.#model = model_id;
    for (const [name, count] of Object.entries(usage)) this.#sums.set(name, (this.#sums.get(name) ?? 0) + count);
  }

  /** To be put into the data of a result. */
  get told(): { usage?: JsonObject } {
    if (this.#model === null) return {};
    return { usage: { ...Object.fromEntries(this.#sums), model: this.#model } };
  }
}
