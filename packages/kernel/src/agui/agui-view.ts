import type { LogRecord } from '@rostra/protocol/record/record';
import type { AguiEvent } from '@rostra/protocol/run-api/agui-event';

export type Channel = 'text' | 'reasoning';

/** Where the reading of one task stands: small, plain, and derived from the records of the task alone. */
export interface AguiView {
  readonly threadId: string;
  readonly taskId: string;
  /** The client's name of the run, or the task's id when no client named it. */
  readonly runId: string;
  readonly agentId: string | null;
  /** Nothing is legal before RUN_STARTED but RUN_ERROR, and nothing at all after the end. */
  readonly phase: 'waiting' | 'started' | 'done';
  /** `head` is what the frames of all its chunks begin with, as text. */
  readonly open: { readonly id: string; readonly channel: Channel; readonly head: string } | null;
  /** The last text message that came in chunks: the record of the whole message then adds no text. */
  readonly streamed: string | null;
  /** Reasoning came in chunks since the last whole message. */
  readonly reasoned: boolean;
  /** Written while waiting: follows RUN_STARTED. */
  readonly held: readonly AguiEvent[];
}

export function beginView(threadId: string, taskId: string): AguiView {
  return {
    threadId,
    taskId,
    runId: taskId,
    agentId: null,
    phase: 'waiting',
    open: null,
    streamed: null,
    reasoned: false,
    held: [],
  };
}

/** Followers read what was published to frontends; a chunk that was forwarded verbatim is its own publication. */
export function isShown(record: LogRecord): boolean {
  return record.mark === 'both' || (record.mark === 'out' && record.target === 'FRONTEND');
}
