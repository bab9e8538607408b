import type { HistorySnapshotResponse, SearchResponse } from '@rostra/protocol/run-api/history';
import { historyOperations } from '@rostra/protocol/run-api/operations/history';
import type { Caller, CallOptions } from '../caller.ts';

export interface DayQuery {
  /** The caller's own latest when it is left out. */
  readonly threadId?: string;
  /** YYYY-MM-DD: the newest day with messages before it. */
  readonly before?: string;
  /** The time zone of the days; UTC when it is left out. */
  readonly timezone?: string;
}

/** What was said before. */
export class History {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** One day of a thread, the newest unless told. */
  day({ timezone, ...query }: DayQuery = {}, options: CallOptions = {}): Promise<HistorySnapshotResponse> {
    const headers = { ...options.headers, ...(timezone === undefined ? {} : { 'X-Timezone': timezone }) };
    return this.#caller.call(historyOperations.getHistory, { query, ...options, headers });
  }

  /** Days of a thread from the newest back; the next one is read when it is asked for. */
  async *days(query: DayQuery = {}, options: CallOptions = {}): AsyncGenerator<HistorySnapshotResponse, void> {
    let day = await this.day(query, options);
    while (day.day !== null) {
      yield day;
      if (!day.hasMore) return;
      const { threadId } = day;
      day = await this.day({ ...query, ...(threadId !== null && { threadId }), before: day.day }, options);
    }
  }

  /** Messages of the caller's own sessions by their words, the best first. */
  search(q: string, query: { sessionId?: string; limit?: number } = {}, options: CallOptions = {}) {
    const found: Promise<SearchResponse> = this.#caller.call(historyOperations.searchMessages, {
      query: { q, ...query },
      ...options,
    });
    return found;
  }
}
