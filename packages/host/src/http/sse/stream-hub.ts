import type { ServerResponse } from 'node:http';
import { frameId } from '@rostra/kernel/agui/frame';
import type { AguiEvent } from '@rostra/protocol/run-api/agui-event';
import type { SessionFormat } from '@rostra/protocol/run-api/session-event';
import { limits } from '@rostra/protocol/wire/limits';
import type { RunFailure } from '@rostra/protocol/wire/reason';
import { LiveMap } from '@rostra/transport/live-map';
import type { Bus } from '../../bus/port.ts';
import type { Clock } from '../../session/clock.ts';
import type { Principal } from '../../session/session-gateway.ts';
import { HttpError } from '../errors.ts';
import type { LogSource } from '../ports.ts';
import type { Cursor } from './cursor.ts';
import { DisconnectGrace, type FollowedTask } from './disconnect-grace.ts';
import type { Follower, FollowUntil } from './follower.ts';
import { LogView, type Subject } from './log-view.ts';
import { messageFraming } from './message-framing.ts';
import { sessionFraming, tasksFraming } from './session-framing.ts';
import { SseFollower } from './sse-follower.ts';
import { accessEnded, type StreamAccess } from './stream-access.ts';
import { TaskFraming } from './task-framing.ts';

export interface HubDeps {
  bus: Bus;
  log: LogSource;
  clock: Clock;
  access: StreamAccess;
  /** Ends a task whose client went away. */
  cancel(task: FollowedTask, principal: Principal): void;
  report(error: unknown): void;
}

/** A turn as it is followed. */
export interface FollowedTurn extends FollowedTask {
  readonly first_seq: number;
}

interface Following {
  readonly principal: Principal;
  /** What the reader has; null: nothing. */
  readonly cursor: Cursor | null;
  /** Frames of records before this one are not shown. */
  readonly from_seq?: number | undefined;
}

/** The place of a stream that has not begun yet. */
export interface StreamPlace {
  readonly id: number;
  readonly release: () => void;
  /** What proved its reader to ask has ended meanwhile. */
  isCut: boolean;
}

export interface TaskFollowing extends Following {
  /** One that was taken before; none: it is taken now. */
  readonly place?: StreamPlace | undefined;
  /** The end of the task unless told. */
  readonly until?: FollowUntil | undefined;
  /** How long the task goes on without anybody following it once this reader has gone; for good unless told. */
  readonly grace?: number | undefined;
  /** On the answer to what started the task: where it is found. */
  readonly location?: string | undefined;
  /** Tasks that wait behind it, in their order: they are told after it. */
  readonly behind?: readonly string[] | undefined;
}

export interface SessionFollowing extends Following {
  readonly format: SessionFormat;
}

interface AnyView {
  serve(follower: Follower, cursor: Cursor | null): Promise<void>;
  leave(follower: Follower): void;
}

interface Seat {
  readonly follower: Follower;
  readonly view: AnyView;
  readonly session_id: string;
  readonly release: () => void;
  /** The task that it follows, if it is one. */
  readonly turn_id: string | null;
}

/** Every open stream of the process, by the view that it reads. */
export class StreamHub {
  readonly #deps: HubDeps;
  readonly #views = new LiveMap<string, AnyView>();
  readonly #seats = new LiveMap<number, Seat>();
  /** The tasks of the seats from which several are followed. */
  readonly #behind = new LiveMap<number, readonly string[]>();
  /** Who waits in a session without a stream, and is told when it is deleted. */
  readonly #waiting = new Map<string, Set<() => void>>();
  #lastSeat = 0;
  readonly #grace: DisconnectGrace;
  #callOffPing: (() => void) | null = null;
  #closing = false;

  constructor(deps: HubDeps) {
    this.#deps = deps;
    this.#grace = new DisconnectGrace(deps.clock, (task, principal) => deps.cancel(task, principal));
  }

  get streams(): number {
    return this.#seats.size;
  }

  /** Tasks that nobody follows any more and that are cancelled soon. */
  get abandoned(): number {
    return this.#grace.waiting;
  }

  /**
   * Takes the place of a stream before it begins, until the answer is over: what changes something before it is followed
   * is refused for want of a place while nothing has been changed.
   */
  reserve(principal: Principal, res: ServerResponse): StreamPlace {
    const place = this.#admit(principal);
    if (res.closed) place.release();
    else res.once('close', place.release);
    return place;
  }

  /** Streams a task to one client. Rejects only before the first byte, with what should be answered instead. */
  async follow(turn: FollowedTurn, following: TaskFollowing, res: ServerResponse): Promise<void> {
    if (res.closed) {
      this.#abandon(turn, following);
      return;
    }
    const { until = 'task_end', from_seq, location, principal, cursor, behind } = following;
    const { id: place, release, isCut } = following.place ?? this.#admit(principal);
    if (isCut) throw accessEnded();
    this.#grace.callOff(turn.turn_id);
    const { session_id, turn_id } = turn;
    const view = behind === undefined ? this.#viewOf(turn) : this.#viewOfAll(turn, behind);
    const left = (_follower: Follower, isComplete: boolean) => {
      this.#left(place);
      if (behind !== undefined) this.#behind.delete(place);
      if (!isComplete) this.#abandon(turn, following);
    };
    const follower = new SseFollower(res, { until, from_seq, location, left });
    this.#seats.set(place, { follower, view, session_id, release, turn_id });
    if (behind !== undefined) this.#behind.set(place, [turn_id, ...behind]);
    this.#callOffPing ??= this.#schedulePing();
    await view.serve(follower, cursor);
  }

  #viewOf({ session_id, turn_id, first_seq }: FollowedTurn): AnyView {
    const view = this.#views.get(turn_id);
    return view ?? this.#add(turn_id, { session_id, first_seq, framing: new TaskFraming(session_id, turn_id) });
  }

  #viewOfAll({ session_id, turn_id, first_seq }: FollowedTurn, behind: readonly string[]): AnyView {
    for (const id of behind) this.#grace.callOff(id);
    const turns = [turn_id, ...behind];
    const key = turns.join(' ');
    const view = this.#views.get(key);
    return view ?? this.#add(key, { session_id, first_seq, framing: tasksFraming(session_id, turns) });
  }

  /** Streams a whole session, task after task, to one client. */
  async followSession(session_id: string, following: SessionFollowing, res: ServerResponse): Promise<void> {
    if (res.closed) return;
    await this.attach(session_id, following, (left) => {
      return new SseFollower(res, { until: 'task_end', from_seq: following.from_seq, left });
    });
  }

  /** The same for any reader; `make` is told how to say that it left. */
  async attach(
    session_id: string,
    { format, principal, cursor }: SessionFollowing,
    make: (left: (follower: Follower) => void) => Follower,
  ): Promise<void> {
    const { id: place, release } = this.#admit(principal);
    this.#grace.callOffSession(session_id);
    const key = viewKey(session_id, format);
    const view = this.#views.get(key) ?? this.#addSession(key, session_id, format);
    const follower = make(() => this.#left(place));
    this.#seats.set(place, { follower, view, session_id, release, turn_id: null });
    this.#callOffPing ??= this.#schedulePing();
    await view.serve(follower, cursor);
  }

  /** Tells once when the session has been deleted; returns how to stop that. */
  whenGone(session_id: string, listener: () => void): () => void {
    const listeners = this.#waiting.get(session_id) ?? new Set();
    this.#waiting.set(session_id, listeners.add(listener));
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#waiting.delete(session_id);
    };
  }

  /** A session that was deleted has nothing to follow: whoever waits for the end of a task is told that it has come. */
  closeSession(session_id: string): void {
    this.#grace.callOffSession(session_id);
    for (const listener of [...(this.#waiting.get(session_id) ?? [])]) listener();
    for (const seat of this.#seats.values()) {
      if (seat.session_id !== session_id) continue;
      const { follower, turn_id } = seat;
      follower.close(turn_id === null ? '' : this.#farewell(turn_id, follower.position + 1));
    }
  }

  /** It stands in no log: nobody will ask what came after it. */
  #farewell(turn_id: string, seq: number): string {
    const event: AguiEvent = {
      type: 'RUN_ERROR',
      message: 'The session was deleted.',
      code: 'cancelled' satisfies RunFailure,
      metadata: { taskId: turn_id, retryable: false },
      timestamp: this.#deps.clock.now(),
    };
    return `id: ${frameId(seq, 0, 0)}\ndata: ${JSON.stringify(event)}\n\n`;
  }

  /** Ends every stream; the clients resume where the next host serves them. */
  close(): void {
    this.#closing = true;
    this.#grace.close();
    this.#callOffPing?.();
    this.#callOffPing = null;
    for (const { follower } of this.#seats.values()) follower.close();
  }

  #admit(principal: Principal): StreamPlace {
    if (this.#seats.size >= limits.sse_streams) {
      throw new HttpError(429, 'rate_limited', `${limits.sse_streams} streams are open`, {
        retryable: true,
        details: { hint: 'Close streams that nobody reads.' },
      });
    }
    this.#lastSeat += 1;
    const id = this.#lastSeat;
    const release = this.#deps.access.open(principal, () => {
      place.isCut = true;
      this.#seats.get(id)?.follower.cut();
    });
    const place: StreamPlace = { id, release, isCut: false };
    return place;
  }

  #add<V>(key: string, subject: Subject<V>): AnyView {
    const { bus, log, report } = this.#deps;
    const view = new LogView(subject, bus, log, { idle: () => this.#views.delete(key), error: report });
    this.#views.set(key, view);
    return view;
  }

  #addSession(key: string, session_id: string, format: SessionFormat): AnyView {
    const place = { session_id, first_seq: 1 };
    if (format === 'messages') return this.#add(key, { ...place, framing: messageFraming });
    return this.#add(key, { ...place, framing: sessionFraming(session_id) });
  }

  #left(place: number): void {
    const seat = this.#seats.get(place);
    if (seat === undefined) return;
    this.#seats.delete(place);
    seat.release();
    seat.view.leave(seat.follower);
  }

  /** The client of a task went away before its end. */
  #abandon(turn: FollowedTurn, { grace, principal }: TaskFollowing): void {
    if (grace === undefined || this.#closing || this.#isFollowed(turn)) return;
    this.#grace.begin(turn, principal, grace);
  }

  #isFollowed({ turn_id, session_id }: FollowedTask): boolean {
    const views = this.#views;
    if (views.has(turn_id)) return true;
    if (views.has(viewKey(session_id, 'messages')) || views.has(viewKey(session_id, 'agui'))) return true;
    return [...this.#behind.values()].some((turns) => turns.includes(turn_id));
  }

  #schedulePing(): () => void {
    const { clock } = this.#deps;
    return clock.at(clock.now() + limits.sse_ping, () => {
      const now = clock.now();
      for (const { follower } of this.#seats.values()) follower.ping(now);
      this.#callOffPing = this.#seats.size > 0 ? this.#schedulePing() : null;
    });
  }
}

function viewKey(session_id: string, format: SessionFormat): string {
  return `${session_id} ${format}`;
}
