import { RunResultData } from '@rostra/protocol/runner/run-result';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../manual-clock.ts';
import { fixture, isEnd, World } from './world.ts';

/** Runs each text in turn on one process, and returns what the session was told of each. */
async function run(...texts: string[]): Promise<{ w: World; said: SessionMessage[][] }> {
  const w = new World(fixture('qa-runner'), new ManualClock());
  const said: SessionMessage[][] = [];
  for (const text of texts) {
    const turn = w.input(text);
    await w.bus.until((all) => all.some((message) => message.turn_id === turn && isEnd(message)));
    said.push(w.of(turn).filter(({ subtype }) => subtype !== 'INPUT_ACK'));
  }
  return { w, said };
}

const kinds = (said: readonly SessionMessage[] = []) => said.map(({ subtype }) => subtype);

/** Every whole message, and every message that was streamed, as text. */
function spoken(said: readonly SessionMessage[] = []): string[] {
  const texts = new Map<string, string>();
  for (const each of said) {
    if (each.event !== 'AGENT_OUTPUT') continue;
    if (each.subtype === 'message') texts.set(each.payload.message_id, String(each.payload.content));
    if (each.subtype !== 'chunk') continue;
    const { message_id, text = '', more = [] } = each.payload;
    texts.set(message_id, (texts.get(message_id) ?? '') + text + more.join(''));
  }
  return [...texts.values()];
}

describe('what a runner sends becomes', () => {
  test('exactly one message (check 12)', async () => {
    const { said } = await run('ok');
    expect(kinds(said[0])).toEqual(['message', 'final']);
    expect(spoken(said[0])).toEqual(['QA_RUNNER_OK']);
  });

  test('one message out of two pieces (check 13)', async () => {
    const { said } = await run('stream_ok');
    expect(spoken(said[0])).toEqual(['QA_RUNNER_STREAM_OK']);
    expect(kinds(said[0])).not.toContain('message');
  });

  test('no message at all where nothing was said (check 14)', async () => {
    const { said } = await run('empty_output');
    expect(kinds(said[0])).toEqual(['final']);
  });

  test('nothing where a message has no content, and the run goes on (check 15)', async () => {
    const { w, said } = await run('malformed_result');
    expect(kinds(said[0])).toEqual(['final']);
    expect(w.orchestrator.stats().misdeeds).toEqual({ malformed: 1 });
    expect(w.logged.map(({ text }) => text)).toContain('run "t1.1": malformed');
  });

  test('a failure with its code, and the next request works (check 16)', async () => {
    const { said } = await run('controlled_failure', 'ok');
    expect(said[0]).toMatchObject([
      { subtype: 'RUN_FAILED', payload: { code: 'qa.controlled_failure', message: 'as asked', retryable: true } },
    ]);
    expect(spoken(said[1])).toEqual(['QA_RUNNER_OK']);
  });

  test('what the words of the input ask for (check 17)', async () => {
    const { said } = await run('hello', 'please stream', 'please fail');
    expect(spoken(said[0])).toEqual(['QA_AGENT_RUNNER_OK:hello']);
    expect(spoken(said[1])).toEqual(['QA_AGENT_RUNNER']);
    expect(said[2]?.at(-1)).toMatchObject({ payload: { code: 'qa.controlled_failure' } });
  });

  test('nothing where its type is unknown, with a warning, and the run continues (check 18)', async () => {
    const { w, said } = await run('unknown_type');
    expect(spoken(said[0])).toEqual(['after it']);
    expect(w.orchestrator.stats().misdeeds).toEqual({ unknown_type: 1 });
  });

  test('numbered by the host: a repeat is applied once, a gap only warns (checks 19, 20)', async () => {
    const { w, said } = await run('own_numbers');
    expect(spoken(said[0])).toEqual(['seven', 'forty']);
    expect(said[0]?.map(({ sequence }) => sequence)).toEqual([0, 1, 2]);
    expect(w.orchestrator.stats().misdeeds).toEqual({ gap: 2, duplicate: 1 });
  });

  test('one message where only the end carries it, and no second one where it repeats it (check 21)', async () => {
    const { said } = await run('closing_message', 'both_messages');
    expect(spoken(said[0])).toEqual(['said at the end']);
    expect(kinds(said[1])).toEqual(['message', 'final']);
  });

  test('nothing where it names another run, whatever its type (check 23)', async () => {
    const { w, said } = await run('foreign');
    expect(spoken(said[0])).toEqual(['mine']);
    expect(kinds(said[0])).toEqual(['message', 'final']);
    expect(w.bus.said.every(({ turn_id }) => turn_id === 't1')).toBe(true);
    expect(w.orchestrator.stats().misdeeds).toEqual({ foreign_run: Object.keys(RunResultData).length });
  });

  test('nothing after the end, whatever its type, and a line in the log (check 24)', async () => {
    const { w, said } = await run('after_the_end', 'ok');
    expect(kinds(said[0])).toEqual(['final']);
    expect(w.orchestrator.stats().misdeeds).toEqual({ after_terminal: Object.keys(RunResultData).length });
    expect(w.logged.map(({ text }) => text)).toContain('run "t1.1": after_terminal');
  });

  test('a failure where it is 2 MiB long (check 25)', async () => {
    const { said } = await run('huge', 'ok');
    expect(said[0]).toMatchObject([{ payload: { code: 'payload_too_large', retryable: false } }]);
    expect(spoken(said[1])).toEqual(['QA_RUNNER_OK']);
  });
});

describe('a run is over for its session and for its runner', () => {
  test('when its process is lost: it fails at once, and its id is dead for the next process too (check 60)', async () => {
    const { w, said } = await run('exit', 'haunt t1.1');
    expect(said[0]?.at(-1)).toMatchObject({ payload: { code: 'runner.exited', retryable: true } });
    expect(kinds(said[1])).toEqual(['final']);
    expect(w.of('t1').filter(isEnd)).toHaveLength(1);
    expect(w.orchestrator.stats()).toMatchObject({
      live: 0,
      misdeeds: { foreign_run: Object.keys(RunResultData).length + 1 },
    });
  });

  test('however it ended, and whether or not the log took what it said (check 61)', async () => {
    const w = new World(fixture('qa-runner'), new ManualClock());
    w.bus.committing = false;
    for (const text of ['ok', 'controlled_failure', 'malformed_result', 'huge', 'exit']) {
      const turn = w.input(text);
      await w.bus.until((all) => all.some((message) => message.turn_id === turn && isEnd(message)));
      expect(w.orchestrator.stats().live).toBe(0);
      expect(w.bus.followed).toEqual([]);
    }
  });
});

describe('usage (check 22)', () => {
  const ofEnd = (said: readonly SessionMessage[] = []) => said.at(-1)?.payload;

  test('is that of run.completed', async () => {
    const { said } = await run('usage');
    expect(ofEnd(said[0])).toEqual({ usage: { input_tokens: 9, output_tokens: 4 } });
  });

  test('is unknown where nobody tells it, which is not 0', async () => {
    const { said } = await run('ok', 'controlled_failure');
    expect(ofEnd(said[0])).not.toHaveProperty('usage');
    expect(ofEnd(said[1])).not.toHaveProperty('usage');
  });

  test('is what a delta said last where the end says nothing', async () => {
    const { said } = await run('usage_of_a_delta');
    expect(ofEnd(said[0])).toEqual({ usage: { output_tokens: 3 } });
    expect(spoken(said[0])).toEqual(['hi']);
  });

  test('of a run that failed is kept', async () => {
    const { said } = await run('usage_of_a_failure');
    expect(ofEnd(said[0])).toMatchObject({ code: 'qa.costly', usage: { input_tokens: 5 } });
  });

  test('of a run whose process died is kept as far as it was told', async () => {
    const { said } = await run('usage_then_exit');
    expect(ofEnd(said[0])).toMatchObject({ code: 'runner.exited', usage: { input_tokens: 6 } });
  });
});
