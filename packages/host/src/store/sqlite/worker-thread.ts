import type { Worker } from 'node:worker_threads';
import { LiveMap } from '@rostra/transport/live-map';
import { CorruptLogError } from '../port.ts';
import type { Refusal } from '../refusal.ts';
import { toApiError } from '../refused.ts';
import type { JournalNews } from './journal-file.ts';
import type { SchemaChange } from './migrate.ts';
import { takeThread } from './spare-threads.ts';
import type {
  RequestOf,
  WireError,
  WorkerAnswers,
  WorkerMethod,
  WorkerOptions,
  WorkerReply,
  WorkerRequest,
} from './worker-message.ts';

type Done<T> = (error: Error | null, value: T | null) => void;

interface PendingCall {
  /** Only the caller knows what kind of value its call is answered with. */
  answer(value: never): void;
  fail(error: Error): void;
}

/** What a thread tells without being asked. */
interface Hears {
  changing?: ((change: SchemaChange) => void) | undefined;
  settled?: (units: number) => void;
  /** It has ended, and nobody asked for that. */
  failed?: ((cause: Error) => void) | undefined;
}

/** The host's end of one worker: every call gets its answer, or the reason why the thread is gone. */
export class WorkerThread {
  readonly #worker: Worker;
  readonly #pending = new LiveMap<number, PendingCall>();
  readonly #exited: Promise<void>;
  readonly #hears: Hears;
  #id = 0;
  /** Why no call is taken any more. */
  #ended: Error | null = null;

  constructor(url: URL, role: WorkerOptions['role'], hears: Hears = {}) {
    this.#hears = hears;
    this.#worker = takeThread(url);
    this.#worker.on('message', (reply: WorkerReply<never>) => this.#answer(reply));
    this.#worker.on('error', (error) => this.#end(role, error));
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        this.#end(role, new Error(`exit code ${code}`));
        resolve();
      });
    });
  }

  /** Whether it takes no more calls. */
  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  call<M extends WorkerMethod>(request: RequestOf<M>, done: Done<WorkerAnswers[M]>): void {
    this.#send(request, {
      answer: (value: WorkerAnswers[M]) => done(null, value),
      fail: (error) => done(error, null),
    });
  }

  ask<M extends WorkerMethod>(request: RequestOf<M>): Promise<WorkerAnswers[M]> {
    return new Promise((answer, fail) => this.#send(request, { answer, fail }));
  }

  /**
   * Tells the writer what is in the journal. One that has ended finds it there when it is started again. The bytes are
   * handed over: to copy them costs a twentieth of a run, and nobody here needs them any more.
   */
  tell(news: JournalNews): void {
    if (this.#ended !== null) return;
    const bytes = news.journaled.flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? [buffer] : []));
    this.#worker.postMessage(news, bytes);
  }

  /** Takes no more calls, lets those under way finish, and ends the thread. */
  async close(): Promise<void> {
    if (this.#ended === null) {
      const answered = this.ask({ method: 'close' });
      this.#ended = toApiError(closed);
      await answered;
    }
    await this.#exited;
  }

  async terminate(): Promise<void> {
    this.#ended ??= toApiError(closed);
    await this.#worker.terminate();
  }

  #send(request: WorkerRequest, call: PendingCall): void {
    if (this.#ended !== null) {
      const error = this.#ended;
      queueMicrotask(() => call.fail(error));
      return;
    }
    this.#id += 1;
    this.#worker.postMessage({ id: this.#id, request });
    this.#pending.set(this.#id, call);
  }

  #answer(reply: WorkerReply<never>): void {
    if ('changing' in reply) {
      this.#hears.changing?.(reply.changing);
      return;
    }
    if ('settled' in reply) {
      this.#hears.settled?.(reply.settled);
      return;
    }
    const call = this.#pending.get(reply.id);
    if (call === undefined) throw new Error(`the store answered call ${reply.id} twice`);
    this.#pending.delete(reply.id);
    if ('error' in reply) call.fail(decodeError(reply.error));
    else call.answer(reply.value);
  }

  #end(role: WorkerOptions['role'], cause: Error): void {
    const error = failed(role, cause);
    if (this.#ended === null) this.#hears.failed?.(cause);
    this.#ended ??= error;
    const pending = [...this.#pending.values()];
    for (const id of [...this.#pending.keys()]) this.#pending.delete(id);
    for (const call of pending) call.fail(error);
  }
}

const closed: Refusal = { reason: 'STORE_CLOSED', message: 'The store is closed.', retryable: true };

function failed(role: WorkerOptions['role'], cause: Error): Error {
  const message = `The ${role} thread of the store has ended.`;
  const error = toApiError({ reason: 'STORE_FAILED', message, retryable: false, hint: 'Start the host again.' });
  error.cause = cause;
  return error;
}

export function decodeError(wire: WireError): Error {
  if (wire.kind === 'corrupt') return new CorruptLogError(wire.session_id, wire.message);
  if (wire.kind === 'refusal') return toApiError(wire.refusal);
  const error = new Error(wire.message);
  error.stack = wire.stack;
  return error;
}
