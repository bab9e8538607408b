import type { ServerResponse } from 'node:http';
import { limits } from '@rostra/protocol/wire/limits';
import { ChunkedBody } from './chunked-body.ts';
import type { Follower, FollowUntil } from './follower.ts';

const HEADERS: readonly string[] = [
  'Content-Type',
  'text/event-stream',
  'Cache-Control',
  'no-cache',
  'X-Accel-Buffering',
  'no',
  'X-Content-Type-Options',
  'nosniff',
];
const DONE: readonly string[] = ['Cache-Control', 'no-store'];

export interface SseOptions {
  readonly until: FollowUntil;
  /** Frames of records before this one are not shown. */
  readonly from_seq?: number | undefined;
  /** Where what is streamed can be found, on answers to what started it. */
  readonly location?: string | undefined;
  /** Hears once that the connection is gone; whether the stream had come to its end. */
  left(follower: SseFollower, isComplete: boolean): void;
}

/** A client that reads server-sent events. */
export class SseFollower implements Follower {
  position: number;
  readonly until: FollowUntil;
  readonly #res: ServerResponse;
  readonly #location: string | undefined;
  #written: ChunkedBody | null = null;
  #stalledSince: number | null = null;
  #open = true;
  #complete = false;

  constructor(res: ServerResponse, { until, from_seq = 1, location, left }: SseOptions) {
    this.#res = res;
    this.until = until;
    this.position = from_seq - 1;
    this.#location = location;
    res.on('close', () => {
      this.#open = false;
      left(this, this.#complete);
    });
  }

  get isOpen(): boolean {
    return this.#open;
  }

  get buffered(): number {
    return this.#res.writableLength;
  }

  begin(text: string, ascii = false): void {
    if (!this.#open) return;
    const body = this.#body(200, HEADERS);
    if (text === '') this.#res.flushHeaders();
    else body.write(text, ascii);
  }

  write(data: string | Buffer, ascii = false): void {
    if (this.#open) this.#body(200, HEADERS).write(data, ascii);
  }

  /** 204 keeps an EventSource that has them all from coming back. */
  end(data: string | Buffer, ascii = false): void {
    if (!this.#open) return;
    this.#complete = true;
    const body = data.length === 0 ? this.#body(204, DONE) : this.#body(200, HEADERS);
    body.end(data, ascii);
  }

  close(farewell = ''): void {
    this.#complete = true;
    // It may take long to read what it was sent before; nothing may be written behind the end.
    this.#open = false;
    if (this.#res.headersSent || farewell !== '') this.#body(200, HEADERS).end(farewell);
    else this.#res.destroy();
  }

  cut(): void {
    this.#open = false;
    this.#res.destroy();
  }

  drained(): Promise<void> {
    if (!this.#res.writableNeedDrain || !this.#open) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#res.off('drain', done);
        this.#res.off('close', done);
        this.#stalledSince = null;
        resolve();
      };
      this.#res.once('drain', done);
      this.#res.once('close', done);
    });
  }

  ping(now: number): void {
    if (!this.#res.headersSent) return;
    if (this.buffered === 0) {
      this.#stalledSince = null;
      if (!this.#res.writableEnded) this.#body(200, HEADERS).write(': ping\n\n');
      return;
    }
    this.#stalledSince ??= now;
    if (now - this.#stalledSince >= limits.sse_stall) this.cut();
  }

  /** With this head, unless there is one: something may have been told before the stream. */
  #body(status: number, headers: readonly string[]): ChunkedBody {
    if (!this.#res.headersSent) this.#head(status, headers);
    this.#written ??= new ChunkedBody(this.#res);
    return this.#written;
  }

  #head(status: number, headers: readonly string[]): void {
    const location = this.#location;
    const place = location === undefined ? [] : ['Location', location, 'Content-Location', location];
    // A flat list is what Node writes fastest.
    this.#res.writeHead(status, [...headers, ...place]);
  }
}
