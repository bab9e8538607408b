import type { FetchLike, JSONRPCMessage, StreamableHTTPClientTransport, Transport } from '@modelcontextprotocol/client';
import type { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { Timers } from '@rostra/transport/timers';
import { boundedResponse } from './bounded-response.ts';
import type { NoticeMeter } from './notice-meter.ts';
import { floods, type McpModule, serverFault, tooLarge } from './server-fault.ts';

export interface HttpOptions {
  readonly sdk: McpModule;
  readonly server_id: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timers: Timers;
  readonly meter: NoticeMeter;
  /** Learns why the connection is gone that nobody here has closed, before anybody is told that it is. */
  readonly lost: (why: ApiError) => void;
}

type RequestId = string | number;

const RECONNECT = { initialReconnectionDelay: 1000, maxReconnectionDelay: 30_000, reconnectionDelayGrowFactor: 2 };
const RECONNECT_TIMES = 5;
/** The code of what this side answers itself with for a request whose answer will not come. */
const LOST_ANSWER = -32000;

/**
 * Streamable HTTP within bounds: answers are measured before anything reads them, a call that is given up leaves its
 * socket, and no answer ever leads anywhere else. The host's own headers are all that a server gets.
 */
export class HttpTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;

  readonly #options: HttpOptions;
  readonly #inner: StreamableHTTPClientTransport;
  /** Requests that wait for their answers. */
  readonly #waiting = new Map<RequestId, AbortController>();
  #isOver = false;

  constructor(options: HttpOptions) {
    this.#options = options;
    const { sdk, url, headers } = options;
    this.#inner = new sdk.StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { ...headers }, credentials: 'omit' },
      fetch: (input, init) => this.#fetch(input, init),
      reconnectionOptions: { ...RECONNECT, maxRetries: RECONNECT_TIMES },
      reconnectionScheduler: (reconnect, delay) => options.timers.after(delay, reconnect),
      onInsufficientScope: 'throw',
    });
    this.#inner.onclose = () => this.#end(null);
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message) => {
      if ('id' in message && message.id !== undefined && !('method' in message)) this.#waiting.delete(message.id);
      if (options.meter.isFlood(message)) this.#sever(floods(this.#id));
      else this.onmessage?.(message);
    };
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  get #id(): string {
    return this.#options.server_id;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  async start(): Promise<void> {
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message && message.method === 'notifications/cancelled') this.#giveUp(message.params?.requestId);
    this.#options.meter.sent(message);
    await this.#inner.send(message);
  }

  async close(): Promise<void> {
    if (!this.#isOver && this.#inner.sessionId !== undefined) await this.#leave();
    await this.#inner.close();
  }

  /** Servers that count their sessions are told that this one is over; one that does not answer is not waited for. */
  async #leave(): Promise<void> {
    await new Promise<void>((resolve) => {
      const callOff = this.#options.timers.after(limits.runner_stop, resolve);
      const done = (): void => {
        callOff();
        resolve();
      };
      this.#inner.terminateSession().then(done, done);
    });
  }

  async #fetch(url: string | URL, init: Parameters<FetchLike>[1]): Promise<Response> {
    const id = requestIn(init?.body);
    const own = new AbortController();
    if (id !== null) this.#waiting.set(id, own);
    const signals = [init?.signal, own.signal].filter((signal) => signal instanceof AbortSignal);
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) });
      if (!response.ok && id !== null) this.#waiting.delete(id);
      return await boundedResponse(response, {
        refuse: (fault) => this.#refused(fault),
        ended: (resumable) => {
          if (id !== null && !resumable) this.#answerIsOver(id);
        },
      });
    } catch (error) {
      if (id !== null) this.#waiting.delete(id);
      throw error;
    }
  }

  #giveUp(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    this.#waiting.get(id)?.abort();
    this.#waiting.delete(id);
  }

  /** The last event is still on its way through the parser when its stream ends. */
  #answerIsOver(id: RequestId): void {
    setImmediate(() => {
      if (!this.#waiting.delete(id) || this.#isOver) return;
      const message = `The tool server ${this.#id} ended its answer before it was complete.`;
      this.onmessage?.({ jsonrpc: '2.0', id, error: { code: LOST_ANSWER, message, data: serverFault(message) } });
    });
  }

  #refused(fault: 'too_large' | 'unreadable'): ApiError {
    const why =
      fault === 'too_large'
        ? tooLarge(this.#id)
        : serverFault(`The tool server ${this.#id} sent a message that cannot be read.`);
    this.#sever(why);
    return why;
  }

  #sever(why: ApiError): void {
    this.#end(why);
    void this.#inner.close();
  }

  #end(why: ApiError | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (why !== null) this.#options.lost(why);
    for (const waiting of this.#waiting.values()) waiting.abort();
    this.#waiting.clear();
    this.onclose?.();
  }
}

/** Which request a body of this side is, if it is one. */
function requestIn(body: unknown): RequestId | null {
  if (typeof body !== 'string') return null;
  const message: unknown = JSON.parse(body);
  if (typeof message !== 'object' || message === null || !('id' in message) || !('method' in message)) return null;
  return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : null;
}
