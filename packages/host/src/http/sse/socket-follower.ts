import type { SessionFormat } from '@rostra/protocol/run-api/session-event';
import { limits } from '@rostra/protocol/wire/limits';
import type { WebSocket } from 'ws';
import type { Follower } from './follower.ts';

/** What one subscription of a websocket is. */
export interface Subscription {
  readonly session_id: string;
  readonly format: SessionFormat;
}

/** The notices of frames that several readers get: made once for all of them. */
const notices = new WeakMap<Buffer, readonly string[]>();

/** The very bytes of each frame, in an envelope that says which session they are of. */
function noticesOf(data: string | Buffer, { session_id, format }: Subscription): readonly string[] {
  const known = typeof data === 'string' ? undefined : notices.get(data);
  if (known !== undefined) return known;
  const head = `{"type":"event","session_id":${JSON.stringify(session_id)},"format":"${format}","id":"`;
  const made = data
    .toString()
    .split('\n\n')
    .slice(0, -1)
    .map((frame) => {
      const end = frame.indexOf('\n');
      return `${head}${frame.slice('id: '.length, end)}","data":${frame.slice(end + '\ndata: '.length)}}`;
    });
  if (typeof data !== 'string') notices.set(data, made);
  return made;
}

/** A subscription that travels over a websocket. */
export class SocketFollower implements Follower {
  position = 0;
  readonly until = 'task_end';
  readonly #socket: WebSocket;
  readonly #subscription: Subscription;
  readonly #on: { begun(): void; left(follower: SocketFollower): void };
  #open = true;
  #begun = false;
  #stalledSince: number | null = null;
  #buffered = 0;

  constructor(
    socket: WebSocket,
    subscription: Subscription,
    on: { begun(): void; left(follower: SocketFollower): void },
  ) {
    this.#socket = socket;
    this.#subscription = subscription;
    this.#on = on;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** What this subscription has waiting: others on the same connection may be catching up. */
  get buffered(): number {
    return this.#buffered;
  }

  begin(text: string): void {
    if (!this.#begun) this.#on.begun();
    this.#begun = true;
    if (text !== '') this.write(text);
  }

  write(data: string | Buffer): void {
    const notices = noticesOf(data, this.#subscription);
    const bytes = typeof data === 'string' ? Buffer.byteLength(data) : data.length;
    this.#buffered += bytes;
    for (const [n, notice] of notices.entries()) {
      if (n + 1 < notices.length) this.#socket.send(notice);
      else this.#socket.send(notice, () => this.#taken(bytes));
    }
  }

  #taken(bytes: number): void {
    this.#buffered -= bytes;
    if (this.#buffered === 0) this.#stalledSince = null;
  }

  end(data: string | Buffer): void {
    this.begin('');
    this.write(data);
    this.close();
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#on.left(this);
  }

  /** A connection is in order or not as a whole: all its subscriptions come back on a new one. */
  cut(): void {
    this.#socket.terminate();
    this.close();
  }

  drained(): Promise<void> {
    if (this.#socket.bufferedAmount === 0 || !this.#open) return Promise.resolve();
    // An empty ping is written behind all that waits.
    return new Promise((resolve) => this.#socket.ping('', undefined, () => resolve()));
  }

  ping(now: number): void {
    if (this.buffered === 0) {
      this.#stalledSince = null;
      return;
    }
    this.#stalledSince ??= now;
    if (now - this.#stalledSince >= limits.sse_stall) this.cut();
  }
}
