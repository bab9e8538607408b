import { describe, expect, test } from 'vitest';
import {
  calls,
  isSummary,
  modelResource,
  NOW,
  refusal,
  type Script,
  says,
  stage,
  told,
  toolResource,
  transcriptItem,
} from './stage.ts';

const small = { models: [modelResource('small', { context_window: 4000 })] };
const KEY = 'conversation/runner.compaction.checkpoint';

/** Twenty messages, each of some hundred tokens, with a number to be recognised by. */
function longTalk(messages = 20): string[] {
  return Array.from({ length: messages }, (_, index) => `message ${index + 1}: ${'words and words '.repeat(50)}`);
}

const script: Script = (asked) => (isSummary(asked) ? says('They spoke of words.') : says('Yes.'));

describe('a conversation that does not fit into 4,000 tokens', () => {
  test('is summed up once, and the summary is used again in the next turn', async () => {
    const { host, run, asked, keep } = stage({ resources: small, script, history: longTalk() });
    const first = run('and now?');
    expect((await first.ended)[1]).toBe('run.completed');
    expect(asked.map(isSummary)).toEqual([true, false]);
    const checkpoint = keep.state.get(KEY);
    expect(checkpoint).toEqual({
      schema_version: 1,
      summary: 'They spoke of words.',
      covers_until: expect.toSatisfy((seq: number) => seq >= 10 && seq < 20),
      tokens_before: expect.any(Number),
      created_at: NOW / 1000,
      conversation_id: null,
    });
    expect(asked[1] && told(asked[1])).toContain('<summary>\\nThey spoke of words.');
    expect(asked[1] && told(asked[1])).not.toContain('message 1:');
    expect(asked[1] && told(asked[1])).toContain('message 20:');

    const second = run('and then?');
    expect((await second.ended)[1]).toBe('run.completed');
    expect(asked.map(isSummary)).toEqual([true, false, false]);
    expect(keep.state.get(KEY)).toEqual(checkpoint);
    // The older messages are not even read again in full: what the summary covers is left out.
    expect(asked[2] && told(asked[2])).toContain('They spoke of words.');
    expect(asked[2] && told(asked[2])).not.toContain('message 10:');
    await host.close();
  });

  test('is never more than the model can read, by count', async () => {
    const { host, run, asked } = stage({ resources: small, script, history: longTalk(60) });
    await run('and now?').ended;
    for (const { messages } of asked) expect(JSON.stringify(messages).length / 4).toBeLessThan(3000);
    await host.close();
  });

  test('is answered even if no summary can be had, and the model knows that something is missing', async () => {
    const failing: Script = (asked) => (isSummary(asked) ? { fails: refusal('MODEL_FAILED') } : says('Yes.'));
    const { host, run, asked, keep } = stage({ resources: small, script: failing, history: longTalk() });
    const answer = run('and now?');
    expect((await answer.ended)[1]).toBe('run.completed');
    expect(asked.at(-1) && told(asked.at(-1) ?? { messages: [] })).toContain('Older messages of this conversation');
    expect(keep.state.has(KEY)).toBe(false);
    await host.close();
  });

  test('keeps the message of a turn that waited: no summary covers what it has not read', async () => {
    const words = 'words and words '.repeat(300);
    const items = [
      transcriptItem(1, { content: `first question ${words}` }),
      transcriptItem(2, { event_id: 'event:run-1', content: 'the question of this turn' }),
      transcriptItem(3, { role: 'assistant', content: `first answer ${words}${words}` }),
    ];
    const { host, run, keep } = stage({
      resources: small,
      script,
      api: { 'history.page': () => ({ items, next_cursor: null, prev_cursor: null, has_more: false }) },
    });
    await run('the question of this turn').ended;
    expect(keep.state.get(KEY)).toMatchObject({ covers_until: 1 });
    await host.close();
  });

  test('has no use for a summary whose end is not there any more', async () => {
    const { host, run, asked, keep } = stage({ resources: small, script, history: ['red', 'blue'] });
    const made = { schema_version: 1, tokens_before: 9, created_at: 1, conversation_id: null };
    keep.state.set(KEY, { ...made, summary: 'Taken back.', covers_until: '99' });
    await run('and now?').ended;
    expect(asked[0] && told(asked[0])).not.toContain('Taken back.');
    expect(asked[0] && told(asked[0])).toContain('blue');
    await host.close();
  });

  test('has no use for it either where there is more before that than can be read', async () => {
    const { host, run, asked, keep } = stage({ resources: small, script, history: longTalk(80) });
    const made = { schema_version: 1, tokens_before: 9, created_at: 1, conversation_id: null };
    keep.state.set(KEY, { ...made, summary: 'Taken back.', covers_until: 99 });
    await run('and now?').ended;
    expect(asked.map(told).join()).not.toContain('Taken back.');
    await host.close();
  });
});

describe('a model that refuses what it was told as too long', () => {
  const wide = { models: [modelResource('wide', { context_window: 100_000 })] };

  test('is told less, once, and answers', async () => {
    let refusals = 1;
    const { host, run, asked } = stage({
      resources: wide,
      history: longTalk(),
      script: (asked) => {
        if (isSummary(asked)) return says('A summary.');
        return refusals-- > 0 ? { fails: refusal('CONTEXT_OVERFLOW') } : says('Yes.');
      },
    });
    const answer = run('and now?');
    expect((await answer.ended)[1]).toBe('run.completed');
    expect(asked.map(isSummary)).toEqual([false, true, false]);
    const [before, , after] = asked.map((each) => told(each).length);
    expect(after ?? 0).toBeLessThan((before ?? 0) * 0.6);
    await host.close();
  });

  test('twice ends the run with its own word', async () => {
    const overflow = refusal('CONTEXT_OVERFLOW', 'The model read 9000 tokens at most (400).');
    const { host, run, asked } = stage({
      resources: wide,
      history: longTalk(),
      script: (each) => (isSummary(each) ? says('A summary.') : { fails: overflow }),
    });
    const [, type, data] = await run('and now?').ended;
    expect([type, data.code, data.message]).toEqual(['run.failed', 'context.overflow', overflow.message]);
    expect(asked.filter((each) => !isSummary(each))).toHaveLength(2);
    await host.close();
  });
});

test('results of tools that fill the room within one turn are cut, and the turn goes on', async () => {
  const { host, run, asked } = stage({
    resources: { ...small, tools: [toolResource('read')] },
    script: (_asked, turn) => (turn < 4 ? calls('read') : says('Read.')),
    api: { 'tools.call': () => ({ result: 'page '.repeat(1500) }) },
  });
  const answer = run('read all of it');
  expect((await answer.ended)[1]).toBe('run.completed');
  for (const { messages } of asked) expect(JSON.stringify(messages).length / 4).toBeLessThan(3600);
  await host.close();
});
