import type { ApiMethodName } from '@rostra/runner-sdk';
import type { ApiAnswers } from '@rostra/runner-sdk/testing';
import { expect, test } from 'vitest';
import { calls, isSummary, modelResource, type Script, says, stage, toolResource, usage } from './stage.ts';

const never = () => new Promise<never>(() => undefined);
const text = { artifact_id: 'a', name: 'a.txt', mime_type: 'text/plain', size_bytes: 3, sha256: null };
const input = { text: 'go', contents: [], attachments: [text], message_chain: null };

/** A run that makes every call there is: in a small window, with a long history, a file, knowledge and a tool. */
function busy(api: ApiAnswers) {
  const ranker = { ...modelResource('ranker'), model_type: 'rerank', operations: ['rerank' as const] };
  const base = { kb_id: 'kb', kb_name: 'kb', kb_type: null, operations: ['retrieve' as const] };
  const found = ['a', 'b'].map((name) => ({ entry_id: name, content: name, score: 1, source: name, metadata: {} }));
  const script: Script = (asked) => {
    if (isSummary(asked)) return says('A summary.');
    return asked.messages.some(({ role }) => role === 'tool') ? says('Done.') : calls('look');
  };
  return stage({
    script,
    history: Array.from({ length: 20 }, (_, index) => `${index} ${'words and words '.repeat(35)}`),
    resources: {
      models: [modelResource('first', { context_window: 4000 }), ranker],
      tools: [toolResource('look', { description: null })],
      knowledge_bases: [base],
    },
    api: {
      'tools.get_detail': () => ({ tool: { name: 'look', description: 'looks', parameters: {} } }),
      'tools.call': () => ({ result: 'seen' }),
      'knowledge.retrieve': () => ({ results: found }),
      'models.rerank': () => ({ results: [{ index: 0, relevance_score: 1 }] }),
      'prompt.get': () => ({ prompt: [] }),
      'artifacts.read_range': () => ({
        artifact_id: 'a',
        mime_type: 'text/plain',
        offset: 0,
        content_base64: 'YWJj',
        size_bytes: 3,
        has_more: false,
      }),
      'steering.pull': () => ({ items: [] }),
      ...api,
    },
  });
}
const asked = { context: { input }, config: { rerank_model: 'ranker' } };

const methods: ApiMethodName[] = [
  'prompt.get',
  'history.page',
  'knowledge.retrieve',
  'models.rerank',
  'tools.get_detail',
  'artifacts.read_range',
  'models.count_tokens',
  'models.invoke',
  'models.stream',
  'state.set',
  'storage.set',
  'storage.delete',
  'tools.call',
  'steering.pull',
];

test('a run in which nothing is cancelled makes every one of these calls', async () => {
  const { host, run } = busy({});
  expect((await run(asked).ended)[1]).toBe('run.completed');
  expect(methods.filter((method) => !host.calls.some((call) => call.method === method))).toEqual([]);
  await host.close();
});

test.each(methods)('a cancel while %s is not answered ends the run at once, and no call follows', async (method) => {
  let reached: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const answer = () => {
    reached();
    return never();
  };
  const { host, run } = busy({ [method]: answer });
  const live = run(asked);
  await waiting;
  // Calls that were made at the same time may still be on their way.
  await new Promise<void>((resolve) => setImmediate(resolve));
  const before = host.calls.length;
  await live.cancel();
  const [, type, data] = await live.ended;
  expect([type, data.code]).toEqual(['run.failed', 'cancelled']);
  expect(host.calls.length).toBe(before);
  expect(host.warnings).toEqual([]);
  await host.close();
});

test('what a run has used is told when it is cancelled in the middle of a tool', async () => {
  let reached: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const { host, run } = stage({
    resources: { tools: [toolResource('look')] },
    script: () => calls('look'),
    api: {
      'tools.call': () => {
        reached();
        return never();
      },
    },
  });
  const live = run('go');
  await waiting;
  await live.cancel();
  expect((await live.ended)[2]).toMatchObject({ code: 'cancelled', usage: { ...usage, model: 'first' } });
  await host.close();
});
