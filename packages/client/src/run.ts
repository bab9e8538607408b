import type { AguiEvent } from '@rostra/protocol/run-api/agui-event';
import { runControlOperations } from '@rostra/protocol/run-api/operations/run-control';
import { runStatusOperations } from '@rostra/protocol/run-api/operations/run-status';
import { streamOperations } from '@rostra/protocol/run-api/operations/streams';
import type { TaskResponse, TaskStatus } from '@rostra/protocol/run-api/task';
import type { Caller } from './caller.ts';
import { EventStream, type StreamOptions } from './event-stream.ts';
import type { Frame } from './frame-reader.ts';
import type { Timing } from './timing.ts';

const ended: ReadonlySet<TaskStatus> = new Set(['completed', 'failed', 'cancelled']);

/** One run of an agent: `for await (const event of run)` gives its events to the end, whatever happens to the connection. */
export class Run extends EventStream<AguiEvent> {
  readonly taskId: string;
  readonly #caller: Caller;

  constructor(caller: Caller, timing: Timing, taskId: string, options: StreamOptions = {}) {
    const isOver = async (last: Frame | null, signal: AbortSignal) => {
      const said = last === null ? null : endOf(last);
      return said ?? ended.has((await caller.call(runStatusOperations.getRun, { params: { taskId }, signal })).status);
    };
    super(caller, timing, { operation: streamOperations.followRun, params: { taskId }, isOver }, options);
    this.taskId = taskId;
    this.#caller = caller;
  }

  status(): Promise<TaskResponse> {
    return this.#caller.call(runStatusOperations.getRun, { params: { taskId: this.taskId } });
  }

  /** Stops the run; with `wait` the answer comes when it has stopped. */
  cancel({ wait = false }: { wait?: boolean } = {}): Promise<TaskResponse> {
    const query = wait ? { wait: '1' as const } : {};
    return this.#caller.call(runControlOperations.cancelRun, { params: { taskId: this.taskId }, query });
  }
}

/** Whether a response that ends behind this frame has told all; null where the frame does not say. */
function endOf({ data }: Frame): boolean | null {
  const event: { type: string; outcome?: { type: string }; metadata?: Record<string, unknown> } = JSON.parse(data);
  if (event.type === 'RUN_ERROR') return true;
  if (event.type !== 'RUN_FINISHED') return false;
  const { outcome, metadata } = event;
  const goesOn = outcome?.type === 'interrupt' || metadata?.pendingToolCallIds !== undefined;
  // It waits for somebody, or it ended with a question to be answered later.
  return goesOn ? null : true;
}
