import type { ServerResponse } from 'node:http';
import { limits } from '@rostra/protocol/wire/limits';
import type { Bus } from '../../bus/port.ts';
import type { Clock } from '../../session/clock.ts';
import type { TurnRow } from '../../store/port.ts';
import { HttpError } from '../errors.ts';
import type { LogSource } from '../ports.ts';
import type { Cursor } from './cursor.ts';
import { Follower } from './follower.ts';
import { TaskView } from './task-view.ts';

/** Every open stream of the process, by the view that it reads. */
export class StreamHub {
  readonly #bus: Bus;
  readonly #source: LogSource;
  readonly #clock: Clock;
  readonly #report: (error: unknown) => void;
  readonly #views = new Map<string, TaskView>();
  readonly #followers = new Set<Follower>();
  #callOffPing: (() => void) | null = null;

  constructor(bus: Bus, source: LogSource, clock: Clock, report: (error: unknown) => void) {
    this.#bus = bus;
    this.#source = source;
    this.#clock = clock;
    this.#report = report;
  }

  get streams(): number {
    return this.#followers.size;
  }

  /** Streams a task to one client. Rejects only before the first byte, with what should be answered instead. */
  async follow(turn: TurnRow, cursor: Cursor | null, res: ServerResponse): Promise<void> {
    if (res.closed) return;
    if (this.#followers.size >= limits.sse_streams) {
      throw new HttpError(429, 'rate_limited', `${limits.sse_streams} streams are open`, {
        retryable: true,
        details: { hint: 'Close streams that nobody reads.' },
      });
    }
    const view = this.#viewOf(turn);
    const follower = new Follower(res, () => {
      this.#followers.delete(follower);
      view.leave(follower);
    });
    this.#followers.add(follower);
    this.#callOffPing ??= this.#schedulePing();
    await view.serve(follower, cursor);
  }

  /** Ends every stream; the clients resume where the next host serves them. */
  close(): void {
    this.#callOffPing?.();
    this.#callOffPing = null;
    for (const follower of this.#followers) follower.close();
  }

  #viewOf(turn: TurnRow): TaskView {
    const { turn_id } = turn;
    const known = this.#views.get(turn_id);
    if (known !== undefined) return known;
    const idle = () => this.#views.delete(turn_id);
    const view = new TaskView(turn, this.#bus, this.#source, { idle, error: this.#report });
    this.#views.set(turn_id, view);
    return view;
  }

  #schedulePing(): () => void {
    return this.#clock.at(this.#clock.now() + limits.sse_ping, () => {
      const now = this.#clock.now();
      for (const follower of this.#followers) follower.ping(now);
      this.#callOffPing = this.#followers.size > 0 ? this.#schedulePing() : null;
    });
  }
}
