import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../manual-clock.ts';
import { fixture, isEnd, World } from './world.ts';

const world = () => new World(fixture('behaviours'), new ManualClock());

async function failureOf(w: World, text: string) {
  const turn = w.input(text);
  const { payload } = await w.heard(turn, 'RUN_FAILED');
  expect(w.of(turn).filter(isEnd)).toHaveLength(1);
  return payload;
}

describe('the session stays usable after a runner that', () => {
  test('prints garbage between its frames', async () => {
    const w = world();
    const turn = w.input('garbage');
    await w.heard(turn, 'final');
    await w.logs((texts) => texts.includes('"a complaint"'));
    const printed = w.logged.map(({ kind, text }) => `${kind} ${text}`);
    expect(printed).toEqual(
      expect.arrayContaining([
        'stdout "plain text"',
        'stdout "[1,2]"',
        'stdout "\\u001b[31mred\\u001b[0m"',
        'stderr "a complaint"',
      ]),
    );
    expect(await w.works()).toBe(true);
  });

  test('fails as it says (check 16)', async () => {
    const w = world();
    expect(await failureOf(w, 'fail')).toEqual({ code: 'qa.controlled_failure', message: 'as asked', retryable: true });
    expect(await w.works()).toBe(true);
  });

  test('answers RUN_AGENT without a terminal result', async () => {
    const w = world();
    expect(await failureOf(w, 'no-terminal')).toMatchObject({ code: 'runner.error', retryable: false });
    expect(await w.works()).toBe(true);
  });

  test('refuses RUN_AGENT', async () => {
    const w = world();
    expect(await failureOf(w, 'refuse')).toMatchObject({ code: 'runner.error', message: 'no' });
    expect(w.orchestrator.stats().misdeeds.malformed).toBe(1);
    expect(await w.works()).toBe(true);
  });

  test('names runs that it was not given (RP-6.13)', async () => {
    const w = world();
    const turn = w.input('foreign');
    await w.heard(turn, 'final');
    expect(w.kinds(turn)).toEqual(['CONTROL:INPUT_ACK', 'AGENT_OUTPUT:final']);
    expect(w.bus.said.every((message) => message.turn_id === turn)).toBe(true);
    expect(w.orchestrator.stats().misdeeds).toEqual({ foreign_run: 2, malformed: 2 });
    expect(await w.works()).toBe(true);
  });

  test('goes on after its terminal result (RP-6.12)', async () => {
    const w = world();
    const turn = w.input('after-terminal');
    await w.heard(turn, 'final');
    expect(await w.works()).toBe(true);
    expect(w.kinds(turn)).toEqual(['CONTROL:INPUT_ACK', 'AGENT_OUTPUT:final']);
    expect(w.orchestrator.stats().misdeeds).toEqual({ after_terminal: 3 });
  });

  test('sends malformed, unknown, repeated and missing results', async () => {
    const w = world();
    const turn = w.input('bad-results');
    await w.heard(turn, 'final');
    expect(w.kinds(turn)).toEqual(['CONTROL:INPUT_ACK', 'AGENT_OUTPUT:chunk', 'AGENT_OUTPUT:final']);
    expect(w.of(turn).map((message) => message.sequence)).toEqual([undefined, 0, 1]);
    expect(w.orchestrator.stats().misdeeds).toEqual({ malformed: 2, unknown_type: 1, duplicate: 1, gap: 1 });
    expect(await w.works()).toBe(true);
  });

  test('sends a result of 2 MiB (check 25)', async () => {
    const w = world();
    expect(await failureOf(w, 'huge')).toMatchObject({ code: 'payload_too_large', retryable: false });
    expect(await w.works()).toBe(true);
  });

  test('sends a line without end', async () => {
    const w = world();
    expect(await failureOf(w, 'endless')).toMatchObject({ code: 'runner.exited', retryable: true });
    expect(await w.works()).toBe(true);
  });

  test('exits in the middle: what it said stays, and a fresh process takes the next run', async () => {
    const w = world();
    const neighbour = w.input('silent');
    await w.heard(neighbour, 'INPUT_ACK');
    const first = w.pids.at(-1);
    const turn = w.input('exit');
    const { payload } = await w.heard(turn, 'RUN_FAILED');
    expect(payload).toEqual({
      code: 'runner.exited',
      message: 'The runner ended with exit code 7.',
      retryable: true,
    });
    expect(w.kinds(turn)).toEqual(['CONTROL:INPUT_ACK', 'AGENT_OUTPUT:chunk', 'ERROR:RUN_FAILED']);
    expect(w.pieces(turn)).toHaveLength(2);
    await w.heard(neighbour, 'RUN_FAILED');
    expect(await w.works()).toBe(true);
    expect(w.pids.at(-1)).not.toBe(first);
  });

  test('exits while a cancel waits: that is the end of the cancel', async () => {
    const w = world();
    const turn = w.input('deaf');
    await w.heard(turn, 'INPUT_ACK');
    w.cancel(turn);
    w.input('exit');
    await w.heard(turn, 'CANCEL_ACK');
    expect(w.of(turn).filter(isEnd)).toHaveLength(1);
  });
});

describe('credit', () => {
  test('a runner that floods without regard to it is failed and told to stop', async () => {
    const w = world();
    w.bus.committing = false;
    const turn = w.input('flood');
    const { payload } = await w.heard(turn, 'RUN_FAILED');
    expect(payload).toMatchObject({ code: 'runner.overrun', retryable: false });
    const most = limits.overrun_factor * limits.credit_results;
    expect(w.pieces(turn).length).toBeLessThanOrEqual(most + 32);
    w.bus.committing = true;
    expect(await w.works()).toBe(true);
  });

  test('comes back as the log takes what was said, so that a long run ends', async () => {
    const w = world();
    const turn = w.input('obedient');
    await w.heard(turn, 'final');
    expect(w.pieces(turn).length).toBeGreaterThanOrEqual(1024);
  });

  test('does not come back for what is not committed', async () => {
    const w = world();
    w.bus.committing = false;
    const turn = w.input('obedient');
    await w.bus.until(() => w.pieces(turn).length === 256);
    expect(await w.works()).toBe(true);
    expect(w.pieces(turn)).toHaveLength(256);
    const chunks = w.of(turn).filter((message) => message.subtype === 'chunk');
    w.bus.committing = true;
    w.bus.commit(chunks.at(-1)!);
    await w.heard(turn, 'final');
  });
});
