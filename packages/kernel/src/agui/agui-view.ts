import type { LogRecord } from '@rostra/protocol/record/record';
import type { AguiEvent, AguiInterrupt } from '@rostra/protocol/run-api/agui-event';

export type Channel = 'text' | 'reasoning';

/** What the task waits for from its client: an interrupt that a `resume` answers, or calls of the client's own tools. */
export interface Asked {
  readonly id: string;
  readonly interrupt: AguiInterrupt | null;
  readonly calls: readonly string[];
}

/** A message that is being said. */
export interface OpenMessage {
  readonly id: string;
  readonly channel: Channel;
  /** What the frames of all its chunks begin with, as text. */
  readonly head: string;
  /** Whether that has as many bytes as characters. */
  readonly ascii: boolean;
}

/** Where the reading of one task stands: small, plain, and derived from the records of the task alone. */
export interface AguiView {
  readonly threadId: string;
  readonly taskId: string;
  /** The client's name of the AG-UI run that is told, or one made of the task's id where no client named it. */
  readonly runId: string;
  readonly agentId: string | null;
  /**
   * Nothing is legal before RUN_STARTED but RUN_ERROR, and nothing at all after the end. A task that waits for its
   * client is `paused`: its AG-UI run has ended, and another one begins with what comes next.
   */
  readonly phase: 'waiting' | 'started' | 'paused' | 'done';
  /** AG-UI runs that this task had so far. */
  readonly runs: number;
  /** What is asked and not answered yet, in order. */
  readonly asked: readonly Asked[];
  /** A handover that nobody has confirmed or rejected yet. It ends the run together with its turn. */
  readonly handover: AguiInterrupt | null;
  readonly open: OpenMessage | null;
  /** The last text message that came in chunks: the record of the whole message then adds no text. */
  readonly streamed: string | null;
  /** Reasoning came in chunks since the last whole message. */
  readonly reasoned: boolean;
  /** Written while nothing could be told: follows RUN_STARTED. */
  readonly held: readonly AguiEvent[];
}

export function beginView(threadId: string, taskId: string): AguiView {
  return {
    threadId,
    taskId,
    runId: taskId,
    agentId: null,
    phase: 'waiting',
    runs: 0,
    asked: [],
    handover: null,
    open: null,
    streamed: null,
    reasoned: false,
    held: [],
  };
}

/** The same view with some of it changed. Field by field: all views have one shape. */
export function changedView(view: AguiView, change: Partial<AguiView>): AguiView {
  const copy: AguiView = {
    threadId: view.threadId,
    taskId: view.taskId,
    runId: view.runId,
    agentId: view.agentId,
    phase: view.phase,
    runs: view.runs,
    asked: view.asked,
    handover: view.handover,
    open: view.open,
    streamed: view.streamed,
    reasoned: view.reasoned,
    held: view.held,
  };
  return Object.assign(copy, change);
}

/** Followers read what was published to frontends; a chunk that was forwarded verbatim is its own publication. */
export function isShown(record: LogRecord): boolean {
  return record.mark === 'both' || (record.mark === 'out' && record.target === 'FRONTEND');
}
