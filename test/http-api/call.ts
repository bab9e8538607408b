import type { HostProcess } from '../e2e/host-process.ts';

/** What the calls of one walk through the API need of each other. */
export interface Walk {
  readonly host: HostProcess;
  readonly threadId: string;
  /** A run that has ended, one that waits for its client's tools, and a question that waits for a person. */
  readonly taskId: string;
  readonly toolTaskId: string;
  readonly interactionId: string;
  readonly hookSecret: string;
  /** What one call learnt for those after it. */
  readonly found: Record<string, string>;
}

export interface Call {
  readonly status: number;
  readonly path?: Record<string, string>;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** Bytes in place of JSON. */
  readonly raw?: { readonly type: string; readonly bytes: string | FormData };
  /** A signed url in place of the operation's path. */
  readonly url?: string;
  /** How many bytes of a stream without an end are enough. */
  readonly cutAfter?: string;
  readonly learn?: (body: Record<string, unknown>, found: Record<string, string>) => void;
}

export type Calls = Readonly<Record<string, (walk: Walk) => Call[]>>;
