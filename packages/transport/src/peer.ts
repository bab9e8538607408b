import { ApiError } from '@rostra/protocol/wire/api-error';
import type { FrameError } from '@rostra/protocol/wire/frame';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { WireMethod } from '@rostra/protocol/wire/method';
import type { Channel } from './channel.ts';
import { type CloseReason, closedError } from './close-reason.ts';
import {
  answerLine,
  decodeFrame,
  type FrameId,
  type InboundFrame,
  notificationLine,
  refusalLine,
  requestLine,
} from './frame.ts';
import { apiErrorOf, frameErrorOf, internalError, unknownMethod } from './frame-error.ts';
import { LineReader } from './line-reader.ts';
import { frameBytes, LineWriter } from './line-writer.ts';
import { PendingRequests, type RequestOptions } from './pending-requests.ts';
import { systemTimers, type Timers } from './timers.ts';

/**
 * An ApiError that it throws is the refusal the caller sees; anything else is a bug of this side. `id` is the caller's
 * own name for the request: what pieces of the answer refer to. `bytes` is the length of the line it came on.
 */
export type RequestHandler = (params: Json | undefined, id: FrameId, bytes: number) => unknown;
/** `bytes` is the length of the line it came on: what credit is counted in. */
export type NotificationHandler = (params: Json | undefined, bytes: number) => void;

export interface PeerOptions {
  /** A line that is no frame: something on the other side prints where it should not. */
  readonly onStray?: (line: string) => void;
  /** A handler threw something that is no refusal. Without this the error stays uncaught. */
  readonly onFault?: (error: unknown, method: string) => void;
  readonly timers?: Timers;
}

/** These overtake queued data and are never refused as busy: they are how a flooded connection is governed. */
const urgent: ReadonlySet<string> = new Set<WireMethod>(['CANCEL_RUN', 'PING', 'RUN_CREDIT']);
/** Answers keep their place behind the results they follow, but a sign of life must not queue. */
const answeredUrgently: ReadonlySet<string> = new Set<WireMethod>(['PING']);

/** One end of a connection; both ends are the same. */
export class Peer {
  readonly #channel: Channel;
  readonly #options: PeerOptions;
  readonly #reader: LineReader;
  readonly #writer: LineWriter;
  readonly #pending: PendingRequests;
  readonly #requestHandlers = new Map<string, RequestHandler>();
  readonly #notificationHandlers = new Map<string, NotificationHandler>();
  readonly #onClose: ((reason: CloseReason) => void)[] = [];
  #closed: CloseReason | undefined;
  #answering = 0;

  constructor(channel: Channel, options: PeerOptions = {}) {
    this.#channel = channel;
    this.#options = options;
    this.#pending = new PendingRequests(options.timers ?? systemTimers);
    this.#writer = new LineWriter(channel.writable);
    this.#reader = new LineReader(limits.frame_bytes, {
      onLine: (line, bytes) => this.#receive(line, bytes),
      onOverlong: () => {
        const message = `The other side sent a line of more than ${limits.frame_bytes} bytes.`;
        this.#end({ why: 'framing', message });
      },
    });
    const { readable } = channel;
    readable.on('data', (chunk: Buffer) => this.#reader.push(chunk));
    readable.on('end', () => this.#ended());
    readable.on('close', () => this.#ended());
    readable.on('error', (error) => this.#end({ why: 'failed', message: `The connection failed: ${error.message}` }));
  }

  onRequest(method: string, handler: RequestHandler): void {
    this.#requestHandlers.set(method, handler);
  }

  onNotification(method: string, handler: NotificationHandler): void {
    this.#notificationHandlers.set(method, handler);
  }

  /** Called once; at once if the connection is over already. */
  onClose(callback: (reason: CloseReason) => void): void {
    if (this.#closed === undefined) this.#onClose.push(callback);
    else callback(this.#closed);
  }

  /**
   * Rejects with the other side's ApiError, or with one of this side's if it cannot be sent or is not answered. `params`
   * may be text already (JsonText).
   */
  request(method: string, params?: unknown, options: RequestOptions = {}): Promise<Json> {
    if (this.#closed !== undefined) return Promise.reject(closedError(this.#closed));
    if (this.#writer.broken) return Promise.reject(closedError({ why: 'failed', message: 'The other side is gone.' }));
    return this.#pending.open(method, options, (id) => this.#send(requestLine(id, method, params), method));
  }

  /** Throws an ApiError if the frame is too large or too much is queued; on a closed connection it does nothing. */
  notify(method: string, params?: unknown): void {
    this.#send(notificationLine(method, params), method);
  }

  /**
   * A line of the caller's own making. As a function it takes its place among the lines of this tick and is asked for
   * its text when they are written, so that it can carry everything that came up meanwhile.
   */
  notifyRaw(line: string | (() => string | undefined)): void {
    if (typeof line === 'function') this.#writer.sendLate(line);
    else this.#send(line, 'The line');
  }

  /** True while the other side reads too slowly; whoever can stop producing should, until `room`. */
  get congested(): boolean {
    return this.#writer.congested;
  }

  /** Resolves when the connection takes lines again, or is over. */
  room(): Promise<void> {
    return this.#writer.room();
  }

  /** Resolves when everything said so far has left this process, or never can. */
  flushed(): Promise<void> {
    return this.#writer.flushed();
  }

  close(message = 'The connection was closed by this side.'): void {
    this.#end({ why: 'closed', message });
  }

  #receive(line: string, bytes: number): void {
    if (bytes === 0) return;
    const frame = decodeFrame(line);
    if (frame === undefined) this.#options.onStray?.(line);
    else if (frame.kind === 'notification') this.#notified(frame.method, frame.params, bytes);
    else if (frame.kind === 'request') this.#requested(frame, bytes);
    else if (frame.kind === 'answer') this.#pending.resolve(frame.id, frame.result);
    else this.#pending.reject(frame.id, apiErrorOf(frame.error));
  }

  #notified(method: string, params: Json | undefined, bytes: number): void {
    const handler = this.#notificationHandlers.get(method);
    // JSON-RPC: a notification is never answered, so an unknown one can only be left alone.
    if (handler === undefined) return;
    try {
      handler(params, bytes);
    } catch (error) {
      this.#fault(error, method);
    }
  }

  #requested({ id, method, params }: Extract<InboundFrame, { kind: 'request' }>, bytes: number): void {
    const handler = this.#requestHandlers.get(method);
    if (handler === undefined) {
      this.#refuse(id, method, unknownMethod(method));
      return;
    }
    if (this.#answering >= limits.peer_requests && !urgent.has(method)) {
      const busy = new ApiError('rate_limited', `More than ${limits.peer_requests} requests at once.`, {
        retryable: true,
      });
      this.#refuse(id, method, frameErrorOf(busy));
      return;
    }
    this.#answering += 1;
    void this.#answer(id, method, () => handler(params, id, bytes));
  }

  async #answer(id: FrameId, method: string, answer: () => unknown): Promise<void> {
    try {
      const result = await answer();
      if (this.#closed === undefined) this.#send(answerLine(id, result), method, answeredUrgently.has(method));
    } catch (error) {
      if (error instanceof ApiError) this.#refuse(id, method, frameErrorOf(error));
      else {
        this.#refuse(id, method, internalError());
        this.#fault(error, method);
      }
    } finally {
      this.#answering -= 1;
    }
  }

  /** An answer that cannot even be queued would leave the other side waiting for ever: then the connection ends. */
  #refuse(id: FrameId, method: string, error: FrameError): void {
    try {
      this.#send(refusalLine(id, error), method, false);
    } catch (overflow) {
      if (!(overflow instanceof ApiError)) throw overflow;
      this.#end({ why: 'stalled', message: overflow.message });
    }
  }

  #send(line: string, method: string, isUrgent = urgent.has(method)): void {
    if (this.#closed !== undefined) return;
    const bytes = frameBytes(line);
    if (bytes > limits.frame_bytes) {
      const message = `${method} is ${bytes} bytes long; a frame holds at most ${limits.frame_bytes}.`;
      throw new ApiError('payload_too_large', message);
    }
    this.#writer.send(line, isUrgent);
  }

  #fault(error: unknown, method: string): void {
    if (this.#options.onFault !== undefined) this.#options.onFault(error, method);
    else
      queueMicrotask(() => {
        throw error;
      });
  }

  #ended(): void {
    if (this.#closed !== undefined) return;
    this.#reader.end();
    this.#end({ why: 'ended', message: 'The other side ended the connection.' });
  }

  #end(reason: CloseReason): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    this.#reader.stop();
    this.#writer.finish();
    this.#channel.close();
    this.#pending.rejectAll(closedError(reason));
    for (const callback of this.#onClose.splice(0)) callback(reason);
  }
}
