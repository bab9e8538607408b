import type { Attachment } from '@rostra/protocol/run-api/attachment';
import { aguiOperations } from '@rostra/protocol/run-api/operations/agui';
import { runDossierOperations } from '@rostra/protocol/run-api/operations/run-dossier';
import { runStatusOperations } from '@rostra/protocol/run-api/operations/run-status';
import { streamOperations } from '@rostra/protocol/run-api/operations/streams';
import { type ToolResultBody, toolResultOperations } from '@rostra/protocol/run-api/operations/tool-results';
import type { Context, RunAgentInput, RunMessage, Tool } from '@rostra/protocol/run-api/run-agent-input';
import type { TaskAcceptedResponse, TaskResponse } from '@rostra/protocol/run-api/task';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { Caller, CallOptions } from '../caller.ts';
import type { StreamOptions } from '../event-stream.ts';
import { newId } from '../new-id.ts';
import { eachOf } from '../pages.ts';
import { RostraError } from '../rostra-error.ts';
import { Run } from '../run.ts';
import { backoff, pause, type Timing } from '../timing.ts';

export interface RunRequest {
  /** A UUID; a new thread when it is left out. */
  readonly threadId?: string;
  /** The client's own name for the run: the same run again is the same task. */
  readonly runId?: string;
  /** What the user says; `messages` in its place for whole messages, the user's first. */
  readonly text?: string;
  readonly messages?: RunMessage[];
  /** Images that were uploaded before. */
  readonly attachments?: readonly Attachment[];
  /** The active agent of the thread when it is left out. */
  readonly agentId?: string;
  readonly tools?: Tool[];
  readonly context?: Context[];
  readonly state?: Json;
  readonly parentRunId?: string;
  readonly forwardedProps?: JsonObject;
}

export class Runs {
  readonly #caller: Caller;
  readonly #timing: Timing;

  constructor(caller: Caller, timing: Timing) {
    this.#caller = caller;
    this.#timing = timing;
  }

  /** Starts a run and gives it as soon as the host has accepted it. It goes on whether or not anybody follows. */
  async start(request: RunRequest, options: StreamOptions = {}): Promise<Run> {
    const { taskId } = await this.submit(request, options);
    return this.follow(taskId, options);
  }

  /** Starts a run without following it. Sent again when no answer came, which the host knows for the same run. */
  async submit(request: RunRequest, { signal }: CallOptions = {}): Promise<TaskAcceptedResponse> {
    const body = inputOf(request);
    const forEver = new AbortController().signal;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#caller.call(aguiOperations.startRun, { body, signal });
      } catch (error) {
        const isLost = error instanceof RostraError && (error.status === 0 || error.status === 503);
        if (!isLost || attempt >= limits.submit_attempts) throw error;
        const delay = Math.max(backoff(attempt, this.#timing.random()), error.retryAfter ?? 0);
        await pause(this.#timing, delay, signal ?? forEver);
        signal?.throwIfAborted();
      }
    }
  }

  /** A run that was started before, from its first event or after one that is known. */
  follow(taskId: string, options: StreamOptions = {}): Run {
    return new Run(this.#caller, this.#timing, taskId, options);
  }

  get(taskId: string, options: CallOptions = {}): Promise<TaskResponse> {
    return this.#caller.call(runStatusOperations.getRun, { params: { taskId }, ...options });
  }

  /** The run that a client named so, or null. */
  async find(threadId: string, runId: string, options: CallOptions = {}): Promise<TaskResponse | null> {
    try {
      const found = await this.#caller.call(runStatusOperations.listRuns, { query: { threadId, runId }, ...options });
      return 'items' in found ? null : found;
    } catch (error) {
      if (error instanceof RostraError && error.status === 404) return null;
      throw error;
    }
  }

  async list(query: { threadId?: string; cursor?: string; limit?: number } = {}, options: CallOptions = {}) {
    const page = await this.#caller.call(runStatusOperations.listRuns, { query, ...options });
    // Only who names both thread and run gets a run in place of a page.
    if (!('items' in page)) throw new TypeError('this is no page of runs');
    return page;
  }

  /** All of them, page by page, the newest first. */
  each(query: { threadId?: string } = {}, options: CallOptions = {}): AsyncGenerator<TaskResponse, void> {
    return eachOf((page) => this.list({ ...query, ...page }, options));
  }

  /** How a run ended; after `timeout` seconds how it is by then. */
  wait(taskId: string, { timeout, ...options }: { timeout?: number } & CallOptions = {}): Promise<TaskResponse> {
    const query = timeout === undefined ? {} : { timeout };
    return this.#caller.call(streamOperations.waitForRun, { params: { taskId }, query, ...options });
  }

  /** What its runner received. */
  context(taskId: string, query: { attempt?: number } = {}, options: CallOptions = {}) {
    return this.#caller.call(runDossierOperations.getRunContext, { params: { taskId }, query, ...options });
  }

  /** What it might touch. */
  grant(taskId: string, query: { attempt?: number } = {}, options: CallOptions = {}) {
    return this.#caller.call(runDossierOperations.getRunGrant, { params: { taskId }, query, ...options });
  }

  /** Its records in the log, the oldest first. */
  records(taskId: string, query: { cursor?: string; limit?: number } = {}, options: CallOptions = {}) {
    return this.#caller.call(runDossierOperations.listRunRecords, { params: { taskId }, query, ...options });
  }

  /** What it did through the host, the newest first. */
  audit(taskId: string, query: { attempt?: number; cursor?: string; limit?: number } = {}, options: CallOptions = {}) {
    return this.#caller.call(runDossierOperations.listRunAudit, { params: { taskId }, query, ...options });
  }

  /** Results of the client's own tools that a run waits for, all at once. */
  toolResults(taskId: string, results: ToolResultBody[]): Promise<TaskResponse> {
    return this.#caller.call(toolResultOperations.sendToolResults, { params: { taskId }, body: { results } });
  }

  cancel(taskId: string, { wait = false }: { wait?: boolean } = {}): Promise<TaskResponse> {
    return this.follow(taskId).cancel({ wait });
  }
}

function inputOf(request: RunRequest): RunAgentInput {
  const { text, messages, attachments = [], agentId, threadId = newId(), runId = newId(), ...rest } = request;
  // Of the run's own name: the same run again must say the same, to the last id.
  const message_id = `${runId}-text`;
  if ((text === undefined) === (messages === undefined)) throw new TypeError('a run has either text or messages');
  const { forwardedProps = {} } = rest;
  return {
    ...rest,
    threadId,
    runId,
    messages: messages ?? [userMessage(message_id, text ?? '', attachments)],
    forwardedProps: agentId === undefined ? forwardedProps : { ...forwardedProps, agentId },
  };
}

function userMessage(id: string, text: string, attachments: readonly Attachment[]): RunMessage {
  if (attachments.length === 0) return { id, role: 'user', content: text };
  const images = attachments.map((image) => {
    return {
      type: 'binary' as const,
      id: image.id,
      mimeType: image.mimeType,
      url: image.url,
      filename: image.filename,
    };
  });
  return { id, role: 'user', content: [{ type: 'text', text }, ...images] };
}
