import type { Place } from '../world/facts.ts';

/** The cursors that were given out, and the list that each of them goes through. */
export class CursorBook {
  readonly #lists = new Map<string, string>();
  readonly #places = new Map<string, number>();
  readonly #given: string[] = [];

  get given(): readonly string[] {
    return this.#given;
  }

  /** A list is of one family, of one conversation and thread, and of what the call was about. */
  static listOf(family: string, { workspace_id, conversation_id, thread_id }: Place, about: unknown = null): string {
    return JSON.stringify([family, workspace_id, conversation_id, thread_id, about]);
  }

  learn(list: string, answer: Record<string, unknown>): void {
    for (const cursor of [answer.next_cursor, answer.prev_cursor]) {
      if (typeof cursor !== 'string' || this.#lists.has(cursor)) continue;
      this.#lists.set(cursor, list);
      this.#given.push(cursor);
    }
  }

  /** The place of one item, where each has its own cursor. */
  learnItem(list: string, cursor: string, seq: number): void {
    this.learn(list, { next_cursor: cursor });
    this.#places.set(cursor, seq);
  }

  placeOf(cursor: unknown): number | null {
    return typeof cursor === 'string' ? (this.#places.get(cursor) ?? null) : null;
  }

  /** Whether none of these is forged, or taken from another list. */
  areGood(list: string, ...cursors: unknown[]): boolean {
    return cursors.every((cursor) => typeof cursor !== 'string' || this.#lists.get(cursor) === list);
  }
}
