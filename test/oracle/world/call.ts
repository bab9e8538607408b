import type { ApiMethodName } from '@rostra/protocol/api/api-methods';
import type { Json } from '@rostra/protocol/wire/json';
import type { RunFact } from './facts.ts';

/** One call as a connection sends it, and when. */
export interface RandomCall {
  readonly connection: string;
  readonly method: ApiMethodName;
  readonly params: Json;
  readonly at: number;
}

/** What calls can be about. */
export interface CallSources {
  readonly live: readonly RunFact[];
  /** Ids of runs that are over. */
  readonly ended: readonly string[];
  /** Cursors that were given out. */
  readonly cursors: readonly string[];
  /** Questions that were put. */
  readonly questions: readonly string[];
}
