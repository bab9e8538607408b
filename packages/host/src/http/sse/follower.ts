import type { ServerResponse } from 'node:http';
import { limits } from '@rostra/protocol/wire/limits';

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
  'X-Content-Type-Options': 'nosniff',
};

/** One client that reads a stream. */
export class Follower {
  /** The last record whose frames were handed over. */
  position = 0;
  readonly #res: ServerResponse;
  #stalledSince: number | null = null;
  #open = true;

  constructor(res: ServerResponse, onClose: () => void) {
    this.#res = res;
    res.once('close', () => {
      this.#open = false;
      onClose();
    });
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** Bytes that the client has not taken yet. */
  get buffered(): number {
    return this.#res.writableLength;
  }

  /** Tells the client that its stream has begun, with the first frames if there are any. */
  begin(text: string): void {
    if (!this.#res.headersSent) this.#res.writeHead(200, HEADERS);
    if (text === '') this.#res.flushHeaders();
    else this.#res.write(text);
  }

  write(data: string | Buffer): void {
    this.#res.write(data);
  }

  /** Ends the stream with its last frames; 204 keeps an EventSource that has them all from coming back. */
  end(data: string | Buffer): void {
    if (!this.#res.headersSent) {
      if (data.length === 0) this.#res.writeHead(204, { 'Cache-Control': 'no-store' });
      else this.#res.writeHead(200, HEADERS);
    }
    this.#res.end(data.length === 0 ? undefined : data);
  }

  /** Ends it in good order though it is not at its end: the host goes away. */
  close(): void {
    if (this.#res.headersSent) this.#res.end();
    else this.cut();
  }

  /** Ends it short of its end; the client resumes by its last event id. */
  cut(): void {
    this.#open = false;
    this.#res.destroy();
  }

  /** Resolves when the client has taken what it was sent, or is gone. */
  drained(): Promise<void> {
    if (!this.#res.writableNeedDrain || !this.#open) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#res.off('drain', done);
        this.#res.off('close', done);
        resolve();
      };
      this.#res.once('drain', done);
      this.#res.once('close', done);
    });
  }

  /** Keeps the connection alive, and cuts a client that has taken nothing for too long. */
  ping(now: number): void {
    if (!this.#res.headersSent || this.#res.writableEnded) return;
    if (this.buffered === 0) {
      this.#stalledSince = null;
      this.#res.write(': ping\n\n');
      return;
    }
    this.#stalledSince ??= now;
    if (now - this.#stalledSince >= limits.sse_stall) this.cut();
  }
}
