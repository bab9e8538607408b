import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isEnd, World } from './world.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const source = `${root}packages/runners/demo/src/main.ts`;
/** From its source, so that this test needs no build. */
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const command = { command: process.execPath, args: ['--import', tsx, source], cwd: root };

const world = () => new World(command, {}, 'rostra/demo/default');

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

  test('/hang obeys a cancel, /hang hard is left behind', async () => {
    const w = world();
    const hanging = w.input('/hang');
    await w.heard(hanging, 'INPUT_ACK');
    w.cancel(hanging);
    await w.heard(hanging, 'CANCEL_ACK');
    const stubborn = w.input('/hang hard');
    await w.heard(stubborn, 'INPUT_ACK');
    w.cancel(stubborn);
    w.terminate(stubborn);
    const answered = await run(w, '/help');
    expect(w.kinds(answered).at(-1)).toBe('AGENT_OUTPUT:final');
    expect(w.kinds(stubborn)).not.toContain('CONTROL:CANCEL_ACK');
  });
});
