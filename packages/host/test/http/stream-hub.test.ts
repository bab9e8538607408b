import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { LogRecord } from '@rostra/protocol/record/record';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryBus } from '../../src/bus/memory/memory-bus.ts';
import type { LogSource } from '../../src/http/ports.ts';
import { parseCursor } from '../../src/http/sse/cursor.ts';
import { StreamHub } from '../../src/http/sse/stream-hub.ts';
import type { TurnRow } from '../../src/store/port.ts';
import { ManualClock } from '../manual-clock.ts';
import { FakeSession } from './fake-session.ts';

/** The part of a response that a stream uses, without a socket. */
class FakeResponse extends EventEmitter {
  headersSent = false;
  closed = false;
  writableLength = 0;
  writableNeedDrain = false;
  writableEnded = false;
  text = '';

  writeHead(): void {
    this.headersSent = true;
  }
  flushHeaders(): void {
    this.headersSent = true;
  }
  write(data: string | Buffer): void {
    if (this.closed) throw new Error('written after the end');
    this.text += data.toString();
  }
  end(data: string | Buffer = ''): void {
    this.write(data);
    this.writableEnded = true;
    this.destroy();
  }
  destroy(): void {
    if (this.closed) return;
    this.closed = true;
    this.emit('close');
  }
}

/** A log whose store answers when the test says so; memory holds what was announced, the store what was committed. */
class SteppedLog implements LogSource {
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

class Scene {
  readonly bus = new MemoryBus((error) => this.errors.push(error));
  readonly errors: unknown[] = [];
  readonly session = new FakeSession(this.bus);
  readonly log = new SteppedLog(this.session);
  readonly hub = new StreamHub(this.bus, this.log, new ManualClock(), (error) => this.errors.push(error));
  readonly turn: TurnRow = this.session.addTurn('s', 't');
  readonly readers: { res: FakeResponse; before: string }[] = [];
  #chunks = 0;

  join(before: string): void {
    const res = new FakeResponse();
    const id = [...before.matchAll(/^id: (.*)$/gm)].at(-1)?.[1];
    const cursor = id === undefined ? null : parseCursor(id);
    this.hub.follow(this.turn, cursor, res as unknown as ServerResponse).catch((error) => this.errors.push(error));
    this.readers.push({ res, before });
  }

  /** What of the log is in memory from now on. */
  hold(what: string): void {
    const from = { all: 1, new: this.session.records.length + 1 }[what];
    this.log.tailFrom = from ?? Number.POSITIVE_INFINITY;
  }

  commit(): void {
    this.session.chunk(this.turn, ++this.#chunks);
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

const action = fc.oneof(
  fc.record({ do: fc.constant('commit' as const) }),
  fc.record({ do: fc.constant('commit' as const) }),
  fc.record({ do: fc.constant('announce' as const), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant('join' as const) }),
  fc.record({ do: fc.constant('cut' as const), which: fc.nat(5) }),
  fc.record({ do: fc.constant('read' as const) }),
  fc.record({ do: fc.constant('memory' as const), holds: fc.constantFrom('all', 'new', 'nothing') }),
);

describe('the streams of one task', () => {
  it('lose and repeat nothing, and agree, however commits, announcements, reads, joins and cuts interleave', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 50 }), async (actions) => {
        const scene = new Scene();
        scene.session.start(scene.turn);
        for (const act of actions) {
          if (act.do === 'commit') scene.commit();
          if (act.do === 'announce') scene.announce(act.count);
          if (act.do === 'join') scene.join('');
          if (act.do === 'cut') scene.cut(act.which);
          if (act.do === 'read') scene.log.pending.shift()?.();
          if (act.do === 'memory') scene.hold(act.holds);
          // Promises settle between any two actions.
          await new Promise((resolve) => setImmediate(resolve));
        }
        scene.session.end(scene.turn);
        scene.announce(1_000);
        await scene.settle();
        scene.join('');
        await scene.settle();
        const whole = scene.readers.at(-1)?.res.text ?? '';
        expect(whole).toContain('RUN_FINISHED');
        for (const { res, before } of scene.readers) expect(before + res.text).toBe(whole);
        expect(scene.errors).toEqual([]);
        expect(scene.bus.followed).toBe(0);
      }),
      { numRuns: 1000 },
    );
  });

  it('are cut when the log goes on without announcing it', async () => {
    const scene = new Scene();
    scene.session.start(scene.turn);
    scene.announce(1);
    scene.join('');
    await scene.settle();
    scene.commit();
    scene.log.announced += 1;
    scene.commit();
    scene.announce(1);
    expect(scene.readers[0]?.res.closed).toBe(true);
    scene.join(scene.readers[0]?.res.text ?? '');
    await scene.settle();
    expect(scene.readers[1]?.res.text.match(/^id: .*$/gm)).toEqual(['id: 2.0.1', 'id: 2.1.1', 'id: 3.0.1']);
  });

  it('are refused beyond what a host serves', async () => {
    const scene = new Scene();
    for (let n = 0; n < 2_000; n += 1) scene.join('');
    expect(scene.errors).toEqual([]);
    scene.join('');
    await scene.settle();
    expect(scene.errors).toMatchObject([{ status: 429, code: 'rate_limited', retryable: true }]);
    scene.hub.close();
    expect(scene.hub.streams).toBe(0);
  });
});
