import type { ServerResponse } from 'node:http';
import { limits } from '@rostra/protocol/wire/limits';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Principal } from '../../src/session/session-gateway.ts';
import { FakeResponse } from './fake-response.ts';
import { principal, Scene } from './hub-scene.ts';

const action = fc.oneof(
  fc.record({ do: fc.constant('commit' as const) }),
  fc.record({ do: fc.constant('commit' as const) }),
  fc.record({ do: fc.constant('announce' as const), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant('join' as const) }),
  fc.record({ do: fc.constant('cut' as const), which: fc.nat(5) }),
  fc.record({ do: fc.constant('read' as const) }),
  fc.record({ do: fc.constant('memory' as const), holds: fc.constantFrom('all', 'new', 'nothing') }),
);

describe('streams', () => {
  it.each([
    ['one task', null],
    ['a whole session', 'messages'],
    ['all runs of a session', 'agui'],
  ] as const)(
    'of %s lose and repeat nothing, and agree, however commits, announcements, reads, joins and cuts interleave',
    async (_what, whole) => {
      await fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 50 }), async (actions) => {
          const scene = new Scene(whole);
          scene.begin();
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
          const fresh = scene.readers.at(-1)?.res.text ?? '';
          expect(fresh).toContain(whole === 'messages' ? 'TURN_COMPLETED' : 'RUN_FINISHED');
          for (const { res, before } of scene.readers) expect(before + res.text).toBe(fresh);
          expect(scene.errors).toEqual([]);
          scene.hub.close();
          expect(scene.bus.followed).toBe(0);
        }),
        { numRuns: 700 },
      );
    },
  );

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

  it('are refused beyond what a host serves (case 28)', async () => {
    const scene = new Scene();
    for (let n = 0; n < 2_000; n += 1) scene.join('');
    expect(scene.errors).toEqual([]);
    scene.join('');
    await scene.settle();
    expect(scene.errors).toMatchObject([{ status: 429, code: 'rate_limited', retryable: true }]);
    scene.hub.close();
    expect(scene.hub.streams).toBe(0);
  });

  it('never have more than 256 KiB and one event waiting for a reader', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('say' as const), count: fc.integer({ min: 1, max: 5 }), chars: fc.nat(90_000) }),
      fc.record({ do: fc.constant('take' as const) }),
      fc.record({ do: fc.constant('join' as const) }),
      fc.record({ do: fc.constant('memory' as const), holds: fc.constantFrom('all', 'new', 'nothing') }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 30 }),
        fc.constantFrom(null, 'messages', 'agui'),
        async (steps, whole) => {
          const scene = new Scene(whole);
          scene.session.start(scene.turn);
          scene.announce(1);
          let largest = 0;
          for (const act of steps) {
            if (act.do === 'say') {
              for (let n = 0; n < act.count; n += 1) scene.commit('é'.repeat(act.chars));
              largest = Math.max(largest, 2 * act.chars + 1_000);
              scene.announce(act.count);
            }
            if (act.do === 'join') scene.join('').isSlow = true;
            if (act.do === 'take') for (const { res } of scene.readers) res.take();
            if (act.do === 'memory') scene.hold(act.holds);
            await scene.settle();
            for (const { res } of scene.readers) {
              if (!res.closed) expect(res.writableLength).toBeLessThanOrEqual(limits.sse_buffer_bytes + largest);
            }
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('that have told all are cut when their reader takes nothing for 30 s', async () => {
    const scene = new Scene();
    scene.begin();
    scene.announce(1_000);
    const stuck = scene.join('');
    await scene.settle();
    stuck.isSlow = true;
    scene.session.end(scene.turn);
    scene.announce(1_000);
    expect(stuck.writableEnded).toBe(true);
    for (let n = 0; n < 4; n += 1) scene.clock.advance(limits.sse_ping);
    expect(stuck.closed).toBe(true);
    expect(scene.hub.streams).toBe(0);
  });

  it.each([
    ['its session goes away', (scene: Scene) => scene.hub.closeSession('s'), /"RUN_ERROR".*deleted[^\n]*\n\n$/],
    ['the host goes away', (scene: Scene) => scene.hub.close(), /^$/],
  ])('tell nothing more of a session to a reader that is behind when %s', async (_what, leave, farewell) => {
    const scene = new Scene();
    scene.begin();
    scene.announce(1_000);
    const slow = scene.join('');
    await scene.settle();
    slow.isSlow = true;
    scene.commit();
    scene.announce(1);
    const { text } = slow;
    leave(scene);
    scene.session.end(scene.turn);
    scene.announce(1_000);
    slow.take();
    await scene.settle();
    expect(slow.text.slice(0, text.length)).toBe(text);
    expect(slow.text.slice(text.length)).toMatch(farewell);
    expect(scene.errors).toEqual([]);
    expect(scene.hub.streams).toBe(0);
  });

  it('of a thousand readers cost one serialisation of each record', async () => {
    const scene = new Scene('messages');
    scene.session.start(scene.turn);
    scene.announce(1);
    for (let n = 0; n < 1_000; n += 1) scene.join('');
    await scene.settle();
    const stringify = vi.spyOn(JSON, 'stringify');
    for (let n = 0; n < 10; n += 1) scene.commit();
    scene.announce(10);
    expect(stringify).toHaveBeenCalledTimes(10);
    stringify.mockRestore();
    expect(new Set(scene.readers.map(({ res }) => res.text)).size).toBe(1);
    expect(scene.readers[0]?.res.text).toContain('chunk-10');
  });

  it('end at the first end of a run where they are asked to, though the task goes on', async () => {
    const scene = new Scene();
    scene.session.start(scene.turn);
    scene.announce(1);
    const first = scene.join('', { until: 'run_end' });
    const task = scene.join('');
    await scene.settle();
    scene.commit();
    scene.ask();
    scene.announce(2);
    expect(first.writableEnded).toBe(true);
    expect(first.text).toMatch(/"type":"RUN_FINISHED"[^\n]*\n\n$/);
    expect(task.closed).toBe(false);
    const asked = scene.session.records.length;
    scene.resolve();
    scene.commit();
    scene.session.end(scene.turn);
    scene.announce(3);
    expect(task.writableEnded).toBe(true);
    const rest = scene.join('', { until: 'run_end', from_seq: asked + 1 });
    await scene.settle();
    expect(rest.writableEnded).toBe(true);
    expect(rest.text).toContain('RUN_FINISHED');
    const seen = first.text + rest.text;
    expect(seen === task.text).toBe(true);
  });

  it('show a task that went on after a question up to the end of the run that goes on now', async () => {
    const scene = new Scene();
    scene.session.start(scene.turn);
    scene.ask();
    scene.announce(2);
    const waiting = scene.join('', { until: 'last_run_end' });
    await scene.settle();
    expect(waiting.writableEnded).toBe(true);
    expect(waiting.text).toMatch(/"type":"RUN_FINISHED"[^\n]*\n\n$/);
    scene.resolve();
    scene.announce(1);
    const going = scene.join('', { until: 'last_run_end' });
    await scene.settle();
    expect(going.writableEnded).toBe(false);
    scene.commit();
    scene.ask();
    scene.announce(2);
    expect(going.writableEnded).toBe(true);
    expect(going.text).toContain('chunk-');
    expect(going.text.match(/"type":"RUN_FINISHED"/g)).toHaveLength(2);
  });
});

describe('streams of several tasks', () => {
  const following = { until: 'last_run_end', behind: ['t2', 't3'] } as const;
  const tasksIn = ({ text }: { text: string }) =>
    [...text.matchAll(/"RUN_STARTED".*"taskId":"(\w+)"/g)].map(([, id]) => id);

  /** Three tasks, of which the first goes on. */
  async function queued() {
    const scene = new Scene();
    scene.begin();
    const [second, third] = ['t2', 't3'].map((id) => scene.session.addTurn('s', id));
    if (second === undefined || third === undefined) throw new Error('no turns');
    scene.announce(2);
    const res = scene.join('', following);
    await scene.settle();
    return { scene, res, second, third };
  }

  it('tell one after another, and end with the last', async () => {
    const { scene, res, second, third } = await queued();
    scene.session.end(scene.turn);
    // It never went to an agent.
    scene.session.add(second, 'EVENT', 'CANCELED', { reason: '', agent_id: 'guide', run_id: null, forced: false });
    scene.announce(1);
    expect(res.writableEnded).toBe(false);
    scene.session.start(third);
    scene.session.end(third);
    scene.announce(3);
    expect(res.writableEnded).toBe(true);
    expect(tasksIn(res)).toEqual(['t', 't2', 't3']);
    const late = scene.join('', following);
    await scene.settle();
    expect(late.text).toBe(res.text);
  });

  it('end with what leaves something to answer, whatever follows it', async () => {
    const { scene, res, second } = await queued();
    scene.ask();
    scene.session.end(scene.turn);
    scene.session.start(second);
    scene.announce(3);
    expect(res.writableEnded).toBe(true);
    expect(tasksIn(res)).toEqual(['t']);
    expect(res.text).toMatch(/"outcome":[^\n]*\n\n$/);
  });

  it('are followed by somebody: none of the tasks is cancelled when its own client goes away', async () => {
    const { scene, second } = await queued();
    const grace = limits.disconnect_grace;
    for (const turn of [scene.turn, second]) {
      const own = new FakeResponse();
      await scene.hub.follow(turn, { principal, cursor: null, grace }, own as unknown as ServerResponse);
      own.destroy();
    }
    scene.clock.advance(grace);
    expect(scene.cancelled).toEqual([]);
  });
});

describe('a run whose client went away', () => {
  const grace = limits.disconnect_grace;

  async function begun() {
    const scene = new Scene();
    scene.session.start(scene.turn);
    scene.announce(1);
    const res = scene.join('', { until: 'run_end', grace });
    await scene.settle();
    return { scene, res };
  }

  it('is cancelled when nobody has come back within the grace', async () => {
    const { scene, res } = await begun();
    res.destroy();
    scene.clock.advance(grace - 1);
    expect(scene.cancelled).toEqual([]);
    scene.clock.advance(1);
    expect(scene.cancelled).toEqual(['t']);
  });

  it('goes on for good once anybody has come back', async () => {
    const { scene, res } = await begun();
    res.destroy();
    scene.clock.advance(grace - 1);
    scene.join('').destroy();
    scene.clock.advance(10 * grace);
    expect(scene.cancelled).toEqual([]);
  });

  it('goes on while somebody else follows it, or its session', async () => {
    const { scene, res } = await begun();
    scene.join('');
    res.destroy();
    scene.clock.advance(10 * grace);
    expect(scene.cancelled).toEqual([]);
    const other = await begun();
    other.scene.watchSession();
    other.res.destroy();
    other.scene.clock.advance(10 * grace);
    expect(other.scene.cancelled).toEqual([]);
  });

  it('goes on when it was not started as a stream, or the host goes away', async () => {
    const { scene, res } = await begun();
    scene.hub.close();
    expect(res.closed).toBe(true);
    scene.clock.advance(10 * grace);
    expect(scene.cancelled).toEqual([]);
    const background = new Scene();
    background.session.start(background.turn);
    background.announce(1);
    background.join('').destroy();
    background.clock.advance(10 * grace);
    expect(background.cancelled).toEqual([]);
  });

  it('is over before anything is cancelled when it ended', async () => {
    const { scene, res } = await begun();
    scene.session.end(scene.turn);
    scene.announce(1);
    expect(res.writableEnded).toBe(true);
    scene.clock.advance(10 * grace);
    expect([scene.cancelled, scene.hub.abandoned]).toEqual([[], 0]);
  });

  it('is cancelled too when the client was gone before the first byte', async () => {
    const scene = new Scene();
    scene.session.start(scene.turn);
    scene.announce(1);
    const gone = new FakeResponse();
    gone.destroy();
    await scene.hub.follow(scene.turn, { principal, cursor: null, grace }, gone as unknown as ServerResponse);
    expect([scene.hub.streams, scene.hub.abandoned]).toEqual([0, 1]);
    scene.clock.advance(grace);
    expect(scene.cancelled).toEqual(['t']);
  });
});

describe('the streams of a credential', () => {
  const guest: Principal = {
    ...principal,
    user_id: 'guest',
    credential: { id: 'key:guest', scopes: ['runs'], streams: 2, runs_minute: 60 },
  };

  it('are refused beyond what it may have, and each that ends makes room (case 28)', async () => {
    const scene = new Scene();
    scene.limitStreams();
    scene.session.start(scene.turn);
    scene.announce(1);
    const [first] = [scene.join('', { principal: guest }), scene.join('', { principal: guest })];
    await scene.settle();
    scene.join('', { principal: guest });
    await scene.settle();
    expect(scene.errors).toMatchObject([{ code: 'rate_limited' }]);
    first?.destroy();
    const next = scene.join('', { principal: guest });
    await scene.settle();
    expect([scene.errors.length, next.headersSent]).toEqual([1, true]);
  });

  it('are cut at once when it has ended, and those of others go on (case 76)', async () => {
    const scene = new Scene();
    scene.session.start(scene.turn);
    scene.announce(1);
    const theirs = scene.join('', { principal: guest });
    const owners = scene.join('');
    await scene.settle();
    for (const { user_id, cut } of scene.cuts) if (user_id === 'guest') cut();
    expect([theirs.closed, theirs.writableEnded, owners.closed]).toEqual([true, false, false]);
    expect(scene.hub.streams).toBe(1);
  });
});
