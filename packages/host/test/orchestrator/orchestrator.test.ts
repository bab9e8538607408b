import { limits, timeouts } from '@rostra/protocol/wire/limits';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../manual-clock.ts';
import { fixture, World, type WorldOptions } from './world.ts';

const world = (options: WorldOptions = {}) => new World(fixture('behaviours'), new ManualClock(), options);
const done = ['CONTROL:INPUT_ACK', 'AGENT_OUTPUT:message', 'AGENT_OUTPUT:final'];

describe('one run', () => {
  test('is acknowledged by the runner, says its message and ends', async () => {
    const w = world();
    await w.ready();
    const armed = w.clock.armed;
    const turn = w.input('ok');
    await w.heard(turn, 'final');
    expect(w.kinds(turn)).toEqual(done);
    expect(w.of(turn)[1]).toEqual({
      id: 't1.1:0',
      session_id: 'session of t1',
      sender: { kind: 'agent', id: 'guide' },
      target: 'SYSTEM',
      turn_id: 't1',
      trace_id: 'trace of t1',
      run_id: 't1.1',
      sequence: 0,
      visibility: 'both',
      ts: w.clock.now(),
      epoch: 4,
      event: 'AGENT_OUTPUT',
      subtype: 'message',
      payload: { message_id: 't1.1.m1', role: 'assistant', content: 'QA_RUNNER_OK' },
    });
    expect(w.of(turn)[0]).toMatchObject({ id: 't1.1:ack' });
    expect(w.of(turn)[0]).toHaveProperty('sequence', undefined);
    expect(w.orchestrator.stats()).toEqual({ live: 0, waiting: 0, dispatched: 1, repeated: 0, misdeeds: {} });
    expect(w.bus.followed).toEqual([]);
    expect(w.clock.armed).toBe(armed);
  });

  test('streams chunks of one message, numbered by the host, and reports usage', async () => {
    const w = world();
    const turn = w.input('stream');
    const final = await w.heard(turn, 'final');
    expect(w.of(turn).map((message) => message.payload)).toEqual([
      {},
      { message_id: 't1.1.m1', n: 0, text: 'QA_RUNNER_', more: ['STREAM_OK'] },
      { usage: { input_tokens: 3 } },
    ]);
    expect(final.sequence).toBe(2);
  });

  test('receives the context of its turn', async () => {
    const w = world({ turn_timeout: 60_000 });
    const turn = w.input('context', 'scout');
    const { payload } = await w.heard(turn, 'message');
    expect(payload.content).toMatchObject({
      run_id: 't1.1',
      event: { event_id: 't1', event_type: 'message.received' },
      input: { text: 'context' },
      config: { persona: 'scout' },
      runtime: { host: 'rostra', trace_id: 'trace of t1', deadline_at: (w.clock.now() + 60_000) / 1000 },
    });
  });

  test('starts from a handover as from an input', async () => {
    const w = world();
    w.handover('h1', 'scout');
    const { payload, sender } = await w.heard('h1', 'message');
    expect(sender).toEqual({ kind: 'agent', id: 'scout' });
    expect(payload.content).toMatchObject({ event: { event_type: 'session.handover' }, trigger: { source: 'system' } });
  });

  test('asks for a handover in the name of its agent (SR-D51)', async () => {
    const w = world();
    const turn = w.input('handover');
    const request = await w.heard(turn, 'HANDOVER_REQUEST');
    expect(request).toMatchObject({
      sender: { kind: 'agent', id: 'guide' },
      sequence: 0,
      payload: { target_agent_id: 'scout', reason: 'maps', summary: 'wants maps' },
    });
  });

  test('is started once, however often its message comes', async () => {
    const w = world();
    const message = w.inputMessage('again', 'ok');
    w.send(message);
    w.send(message);
    await w.heard('again', 'final');
    w.send(message);
    await w.works();
    expect(w.kinds('again')).toEqual(done);
    expect(w.orchestrator.stats()).toMatchObject({ dispatched: 2, repeated: 2 });
  });

  test('many at once are kept apart', async () => {
    const w = world();
    const turns = Array.from({ length: 20 }, () => w.input('stream'));
    await Promise.all(turns.map((turn) => w.heard(turn, 'final')));
    for (const turn of turns) expect(w.of(turn).map((m) => m.sequence)).toEqual([undefined, 0, 2]);
  });

  test('that finds its process full waits until another one ends', async () => {
    const w = world({ runs_max: 1 });
    await w.ready();
    const first = w.input('silent');
    const second = w.input('ok');
    const given_up = w.input('ok');
    w.cancel(given_up);
    await w.heard(given_up, 'CANCEL_ACK');
    w.cancel(first);
    await w.heard(first, 'CANCEL_ACK');
    await w.heard(second, 'final');
    expect(w.kinds(second)).toEqual(done);
    expect(w.orchestrator.stats()).toMatchObject({ live: 0 });
  });

  test('of an agent that is not there fails at once', async () => {
    const w = world();
    const turn = w.input('ok', 'nobody');
    const { payload } = await w.heard(turn, 'RUN_FAILED');
    expect(payload).toMatchObject({ code: 'agent.not_found', retryable: false });
    expect(payload.message).toContain('"nobody"');
  });

  test('of a runner that no package offers fails', async () => {
    const w = world({ runner_id: 'somebody-else' });
    const turn = w.input('ok');
    expect((await w.heard(turn, 'RUN_FAILED')).payload.code).toBe('runner.not_found');
  });
});

describe('cancel', () => {
  test('the answer to CANCEL_RUN is the acknowledgement (SR-D50)', async () => {
    const w = world();
    const turn = w.input('silent');
    await w.heard(turn, 'INPUT_ACK');
    w.cancel(turn);
    const ack = await w.heard(turn, 'CANCEL_ACK');
    expect(ack).toMatchObject({ id: 't1.1:cancel-ack', payload: {} });
    expect(ack).toHaveProperty('sequence', undefined);
    // What was said between the cancel and its acknowledgement still goes to the log.
    expect(w.kinds(turn)).toEqual(['CONTROL:INPUT_ACK', 'AGENT_OUTPUT:chunk', 'CONTROL:CANCEL_ACK']);
  });

  test('a terminal result after it is the acknowledgement, once', async () => {
    const w = world();
    const turn = w.input('alive');
    await w.heard(turn, 'INPUT_ACK');
    w.cancel(turn);
    w.cancel(turn, 'another');
    await w.heard(turn, 'CANCEL_ACK');
    expect(await w.works()).toBe(true);
    expect(w.kinds(turn).filter((kind) => kind === 'CONTROL:CANCEL_ACK')).toHaveLength(1);
    expect(w.kinds(turn)).not.toContain('ERROR:RUN_FAILED');
  });

  test('a run that has said nothing yet, not even that it was accepted, is cancelled as well (check 59)', async () => {
    const w = world();
    await w.ready();
    const turn = w.input('no-accept');
    w.cancel(turn);
    await w.heard(turn, 'CANCEL_ACK');
  });

  test('a run whose process is still starting never reaches it', async () => {
    const w = world();
    const turn = w.input('ok');
    w.cancel(turn);
    expect(w.kinds(turn)).toEqual(['CONTROL:CANCEL_ACK']);
    await w.works();
    expect(w.kinds(turn)).toEqual(['CONTROL:CANCEL_ACK', 'CONTROL:CANCEL_REPORT']);
    expect(w.orchestrator.stats().dispatched).toBe(1);
  });

  test('a run that is over is not cancelled', async () => {
    const w = world();
    const turn = w.input('ok');
    await w.heard(turn, 'final');
    w.cancel(turn);
    await w.works();
    expect(w.kinds(turn)).toEqual(done);
  });
});

describe('time', () => {
  test('a sign of life is passed on at most once per half interval', async () => {
    const w = world();
    const turn = w.input('alive');
    await w.heard(turn, 'INPUT_ACK');
    expect(await w.works()).toBe(true);
    expect(w.kinds(turn)).toEqual(['CONTROL:INPUT_ACK']);
    const late = world();
    const second = late.input('alive');
    late.bus.subscribe('session', (message) => {
      if (message.subtype === 'INPUT_ACK') late.clock.advance(limits.runner_alive / 2);
    });
    await late.heard(second, 'RUN_ALIVE');
    expect(await late.works()).toBe(true);
    expect(late.kinds(second).filter((kind) => kind === 'CONTROL:RUN_ALIVE')).toHaveLength(1);
  });

  test('a run that outlives its deadline fails and its runner is told to stop (check 56)', async () => {
    const w = world({ turn_timeout: 1000 });
    const turn = w.input('alive');
    await w.heard(turn, 'INPUT_ACK');
    w.clock.advance(999);
    expect(w.kinds(turn)).not.toContain('ERROR:RUN_FAILED');
    w.clock.advance(1);
    expect(w.of(turn).at(-1)).toMatchObject({ payload: { code: 'deadline_exceeded', retryable: true } });
    expect(w.orchestrator.stats().live).toBe(0);
    expect(await w.works()).toBe(true);
    expect(w.orchestrator.stats().misdeeds.after_terminal).toBeGreaterThanOrEqual(1);
  });

  test('one timer serves the deadlines of all runs, each at its own time', async () => {
    const w = world({ turn_timeout: 1000 });
    const armed = w.clock.armed;
    const first = w.input('alive');
    await w.heard(first, 'INPUT_ACK');
    w.clock.advance(400);
    const second = w.input('alive');
    await w.heard(second, 'INPUT_ACK');
    expect(w.clock.armed).toBe(armed + 1);
    w.clock.advance(600);
    expect(w.of(first).at(-1)).toMatchObject({ payload: { code: 'deadline_exceeded' } });
    expect(w.kinds(second)).not.toContain('ERROR:RUN_FAILED');
    w.clock.advance(400);
    expect(w.of(second).at(-1)).toMatchObject({ payload: { code: 'deadline_exceeded' } });
  });

  test('commits are followed from the first line of a run that goes on after it', async () => {
    const w = world();
    const followed: [kind: string, sessions: number][] = [];
    w.bus.subscribe('session', ({ event, subtype }) => followed.push([`${event}:${subtype}`, w.bus.followed.length]));
    await w.heard(w.input('bad-results'), 'final');
    expect(followed).toEqual([
      ['CONTROL:INPUT_ACK', 0],
      ['AGENT_OUTPUT:chunk', 0],
      ['AGENT_OUTPUT:final', 0],
    ]);
    await w.heard(w.input('stream'), 'final');
    expect(followed.slice(3)).toEqual([
      ['CONTROL:INPUT_ACK', 0],
      ['AGENT_OUTPUT:chunk', 1],
      ['AGENT_OUTPUT:final', 1],
    ]);
    expect(w.bus.followed).toEqual([]);
  });

  test('a run is told the turn’s own time unless the host says otherwise', async () => {
    const w = world();
    const { payload } = await w.heard(w.input('context'), 'message');
    expect(payload.content).toMatchObject({ runtime: { deadline_at: (w.clock.now() + timeouts.turn) / 1000 } });
  });

  test('stop waits for live runs, takes no new ones and fails what is left', async () => {
    const w = world();
    const slow = w.input('silent');
    await w.heard(slow, 'INPUT_ACK');
    const stopped = w.orchestrator.stop({ drain: 25_000 });
    const refused = w.input('ok');
    expect(w.of(refused)).toMatchObject([{ payload: { code: 'host.restarted', retryable: true } }]);
    w.clock.advance(25_000);
    await stopped;
    expect(w.of(slow).at(-1)).toMatchObject({ payload: { code: 'host.restarted', retryable: true } });
    expect(w.orchestrator.stats().live).toBe(0);
  });

  test('stop leaves what can be resumed to the next host, but for what is being cancelled', async () => {
    const w = world({ resumable: (agent_id) => agent_id === 'guide' });
    const [goes, stops] = [w.input('silent'), w.input('deaf')];
    await Promise.all([w.heard(goes, 'INPUT_ACK'), w.heard(stops, 'INPUT_ACK')]);
    w.cancel(stops);
    await w.orchestrator.stop({ drain: 0 });
    expect(w.kinds(goes)).toEqual(['CONTROL:INPUT_ACK']);
    expect(w.kinds(stops).at(-1)).toBe('CONTROL:CANCEL_ACK');
    expect(w.orchestrator.stats().live).toBe(0);
  });

  test('stop ends as soon as nothing is live', async () => {
    const w = world();
    const turn = w.input('silent');
    await w.heard(turn, 'INPUT_ACK');
    const stopped = w.orchestrator.stop({ drain: 25_000 });
    w.cancel(turn);
    await stopped;
    expect(w.kinds(turn)).toContain('CONTROL:CANCEL_ACK');
  });
});
