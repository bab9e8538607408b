import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { processFacts } from '../../src/discovery/process-table.ts';
import { SystemClock } from '../../src/main/system-clock.ts';
import { ManualClock } from '../manual-clock.ts';
import { isEnd, World } from './world.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const source = `${root}packages/runners/demo/src/main.ts`;
/** From its source, so that this test needs no build. */
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const command = { command: process.execPath, args: ['--import', tsx, source], cwd: root };

/** Time that passes: processes take theirs to die. */
const live = () => new World(command, new SystemClock(), { runner_id: 'rostra/demo/default' });
const world = () => new World(command, new ManualClock(), { runner_id: 'rostra/demo/default' });

async function run(w: World, text: string): Promise<string> {
  const turn = w.input(text);
  await w.bus.until((said) => said.some((message) => message.turn_id === turn && isEnd(message)));
  return turn;
}

describe('the demo runner', () => {
  test('its source is where this test looks for it', () => {
    expect(existsSync(source)).toBe(true);
  });

  test('/stream N delivers exactly N chunks in order, also beyond its credit', async () => {
    const w = world();
    for (const count of [50, 1000]) {
      const turn = await run(w, `/stream ${count}`);
      expect(w.pieces(turn)).toEqual(Array.from({ length: count }, (_, index) => `chunk-${index + 1} `));
      expect(w.kinds(turn).at(-1)).toBe('AGENT_OUTPUT:final');
    }
    expect(w.orchestrator.stats().misdeeds).toEqual({});
  });

  test('/fail, /crash and a question after them', async () => {
    const w = world();
    const failed = await run(w, '/fail');
    expect(w.of(failed).at(-1)).toMatchObject({ payload: { code: 'demo.failed' } });
    const crashed = await run(w, '/crash');
    expect(w.of(crashed).at(-1)).toMatchObject({ payload: { code: 'runner.exited', retryable: true } });
    expect(w.pieces(crashed)).toHaveLength(3);
    const answered = await run(w, 'What is Rostra?');
    expect(w.kinds(answered).at(-1)).toBe('AGENT_OUTPUT:final');
  });

  test('/hang obeys a cancel', async () => {
    const w = world();
    const hanging = w.input('/hang');
    await w.heard(hanging, 'INPUT_ACK');
    w.cancel(hanging);
    await w.heard(hanging, 'CANCEL_ACK');
    const { payload } = await w.heard(hanging, 'CANCEL_REPORT');
    expect(payload).toMatchObject({ outcome: 'acknowledged', process: 'kept' });
  });
});

describe('in real time', () => {
  test('a cancel of /slow 1000 100 stops the stream within 200 ms', async () => {
    const w = live();
    const slow = w.input('/slow 1000 100');
    await w.bus.until(() => w.pieces(slow).length >= 2);
    const before = performance.now();
    w.cancel(slow);
    await w.heard(slow, 'CANCEL_ACK');
    expect(performance.now() - before).toBeLessThan(200);
    expect(w.kinds(slow).slice(-1)).toEqual(['CONTROL:CANCEL_ACK']);
  });

  test('a forced /hang hard leaves its neighbour alone, and once it is alone its process is gone soon', async () => {
    const w = live();
    const neighbour = w.input('/slow 40 10');
    const stubborn = w.input('/hang hard');
    await w.heard(stubborn, 'INPUT_ACK');
    await w.bus.until(() => w.pieces(neighbour).length >= 2);
    w.cancel(stubborn);
    w.terminate(stubborn);
    const { payload } = await w.heard(stubborn, 'CANCEL_REPORT');
    expect(payload).toMatchObject({ outcome: 'forced', process: 'drained', children_killed: 0 });
    expect(w.pieces(neighbour).length).toBeLessThan(40);
    await w.heard(neighbour, 'final');
    expect(w.pieces(neighbour)).toHaveLength(40);
    expect(w.kinds(stubborn)).not.toContain('CONTROL:CANCEL_ACK');

    const alone = w.input('/hang hard');
    await w.heard(alone, 'INPUT_ACK');
    const pid = w.pids.at(-1) ?? 0;
    w.cancel(alone);
    // The session says so at T_cancel; everything after it has to fit into 2.5 s.
    const before = performance.now();
    w.terminate(alone);
    while (processFacts(pid) !== null) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(performance.now() - before).toBeLessThan(2500);
  });
});
