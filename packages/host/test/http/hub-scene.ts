import type { ServerResponse } from 'node:http';
import type { LogRecord } from '@rostra/protocol/record/record';
import type { SessionFormat } from '@rostra/protocol/run-api/session-event';
import { StreamCount } from '../../src/access/stream-count.ts';
import { MemoryBus } from '../../src/bus/memory/memory-bus.ts';
import type { LogSource } from '../../src/http/ports.ts';
import { parseCursor } from '../../src/http/sse/cursor.ts';
import { openAccess, type StreamAccess } from '../../src/http/sse/stream-access.ts';
import { StreamHub, type TaskFollowing } from '../../src/http/sse/stream-hub.ts';
import type { Principal } from '../../src/session/session-gateway.ts';
import type { TurnRow } from '../../src/store/port.ts';
import { ManualClock } from '../manual-clock.ts';
import { FakeResponse } from './fake-response.ts';
import { FakeSession } from './fake-session.ts';

export const principal: Principal = { workspace_id: 'local', user_id: 'owner' };

/** A log whose store answers when the test says so; memory holds what was announced, the store what was committed. */
export class SteppedLog implements LogSource {
  readonly session: FakeSession;
  announced = 0;
  tailFrom = 1;
  readonly pending: (() => void)[] = [];

  constructor(session: FakeSession) {
    this.session = session;
  }

  tailAfter(_session_id: string, seq: number): readonly LogRecord[] | null {
    return seq + 1 < this.tailFrom ? null : this.session.records.slice(seq, this.announced);
  }

  readAfter(_session_id: string, seq: number): Promise<readonly LogRecord[]> {
    const page = this.session.records.slice(seq, seq + 3);
    return new Promise((resolve) => this.pending.push(() => resolve(page)));
  }
}

export class Scene {
  readonly bus = new MemoryBus((error) => this.errors.push(error));
  readonly errors: unknown[] = [];
  readonly clock = new ManualClock();
  readonly cancelled: string[] = [];
  access: StreamAccess = openAccess;
  /** How the streams of each user are cut that are open or were. */
  readonly cuts: { user_id: string; cut: () => void }[] = [];
  /** How readers follow the whole session; null: they follow the task. */
  readonly whole: SessionFormat | null;
  readonly session = new FakeSession(this.bus);
  readonly log = new SteppedLog(this.session);
  readonly hub = new StreamHub({
    bus: this.bus,
    log: this.log,
    clock: this.clock,
    access: {
      open: (who, cut) => {
        const release = this.access.open(who, cut);
        this.cuts.push({ user_id: who.user_id, cut });
        return release;
      },
    },
    cancel: (task) => this.cancelled.push(task.turn_id),
    report: (error) => this.errors.push(error),
  });
  readonly turn: TurnRow = this.session.addTurn('s', 't');
  readonly readers: { res: FakeResponse; before: string }[] = [];
  #chunks = 0;

  constructor(whole: SessionFormat | null = null) {
    this.whole = whole;
  }

  join(before: string, more: Partial<TaskFollowing> = {}): FakeResponse {
    const fake = new FakeResponse();
    const res = fake as unknown as ServerResponse;
    const id = [...before.matchAll(/^id: (.*)$/gm)].at(-1)?.[1];
    const following = { principal, cursor: id === undefined ? null : parseCursor(id), ...more };
    const serving =
      this.whole !== null
        ? this.hub.followSession('s', { format: this.whole, ...following }, res)
        : this.hub.follow(this.turn, following, res);
    serving.catch((error) => this.errors.push(error));
    this.readers.push({ res: fake, before });
    return fake;
  }

  /** What of the log is in memory from now on. */
  hold(what: string): void {
    const from = { all: 1, new: this.session.records.length + 1 }[what];
    this.log.tailFrom = from ?? Number.POSITIVE_INFINITY;
  }

  /** The turn is accepted and goes to its agent, in one record that tells both. */
  begin(): void {
    this.session.add(this.turn, 'EVENT', 'TURN_ACCEPTED', {
      agent_id: 'guide',
      state: 'dispatched',
      parent_turn_id: null,
      client_run_id: 'run-1',
    });
    this.session.start(this.turn);
  }

  commit(text?: string): void {
    this.session.chunk(this.turn, ++this.#chunks, text);
  }

  /** The run waits for a person from here on. */
  ask(): void {
    this.session.add(this.turn, 'EVENT', 'INTERACTION_OPENED', {
      interaction_id: 'q1',
      purpose: 'question',
      kind: 'confirmation',
      agent_id: 'guide',
      run_id: 'r.1',
      until: 1_700_000_600_000,
      request: { title: 'May I?' },
    });
  }

  resolve(): void {
    this.session.add(this.turn, 'EVENT', 'INTERACTION_RESOLVED', {
      interaction_id: 'q1',
      outcome: 'answered',
      answer: null,
      answered_by: null,
    });
  }

  /** Somebody who follows all that the session does. */
  watchSession(): FakeResponse {
    const fake = new FakeResponse();
    const following = { format: 'messages', principal, cursor: null } as const;
    this.hub.followSession('s', following, fake as unknown as ServerResponse).catch((error) => this.errors.push(error));
    return fake;
  }

  /** Credentials may have as many streams as they say. */
  limitStreams(): void {
    const streams = new StreamCount();
    this.access = { open: (who) => streams.open(who) };
  }

  announce(count: number): void {
    const records = this.session.records.slice(this.log.announced, this.log.announced + count);
    this.log.announced += records.length;
    this.session.announce(records);
  }

  /** Cuts a reader that is still reading; it comes back with what it has. */
  cut(which: number): void {
    const open = this.readers.filter(({ res }) => !res.closed);
    const reader = open[which % Math.max(1, open.length)];
    if (reader === undefined) return;
    reader.res.destroy();
    this.readers.splice(this.readers.indexOf(reader), 1);
    this.join(reader.before + reader.res.text);
  }

  async settle(): Promise<void> {
    for (let n = 0; n < 1_000; n += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      const next = this.log.pending.shift();
      if (next === undefined) return;
      next();
    }
    throw new Error('the readers do not come to an end');
  }
}
