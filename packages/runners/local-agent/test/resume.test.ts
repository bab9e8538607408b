import { expect, test } from 'vitest';
import { calls, inTurn, says, stage, toolResource } from './stage.ts';

const KEY = 'binding/turn//';
const tools = [toolResource('send'), toolResource('look')];

/** What the first attempt had on record when it was lost. */
function steps(results: string[] | null) {
  const call = { id: 'call_1', name: 'send', arguments: { q: 'mail' } };
  return { event_id: 'event:run-1', steps: [{ text: 'Sending. ', calls: [call], results, said: 9 }] };
}

function record(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

test('a further attempt does not repeat what was said, and goes on behind it', async () => {
  const { host, run, asked } = stage({ script: inTurn(says('jumps over the dog.')) });
  const answer = run({ text: 'tell me', said: 'The quick fox ' });
  await answer.ended;
  expect(answer.text).toBe('jumps over the dog.');
  expect(asked[0]?.messages.slice(-2)).toEqual([
    { role: 'assistant', content: 'The quick fox ' },
    { role: 'user', content: expect.stringMatching(/cut off.*repeat nothing/s) },
  ]);
  await host.close();
});

test('a further attempt has the results of the tools that were called, and does not call them again', async () => {
  const { host, run, asked, keep } = stage({
    resources: { tools },
    script: inTurn(calls('look'), says('Sent.')),
    api: { 'tools.call': () => ({ result: 'seen' }) },
  });
  keep.storage.set(KEY, record(steps(['ok, sent'])));
  const answer = run({ text: 'send it', said: 'Sending. ' });
  await answer.ended;
  expect(asked[0]?.messages.slice(-2)).toEqual([
    {
      role: 'assistant',
      content: 'Sending. ',
      tool_calls: [{ id: 'call_1', name: 'send', arguments: { q: 'mail' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', name: 'send', content: 'ok, sent' },
  ]);
  const called = host.calls.flatMap(({ method, params }) => (method === 'tools.call' ? [params] : []));
  expect(called).toMatchObject([{ tool_name: 'look' }]);
  expect(asked[1]?.messages.at(-1)).toMatchObject({ tool_call_id: 'call_2', content: 'seen' });
  // Nobody goes on from a turn that is over.
  expect(keep.storage.has(KEY)).toBe(false);
  await host.close();
});

test('a call whose end is not known is told as such, and left to the model’s care', async () => {
  const { host, run, asked, keep } = stage({ resources: { tools }, script: inTurn(says('I am not sure.')) });
  keep.storage.set(KEY, record(steps(null)));
  await run({ text: 'send it', said: 'Sending. ' }).ended;
  expect(asked[0]?.messages.at(-1)?.content).toMatch(/not known whether this call was carried out/);
  expect(host.calls.filter(({ method }) => method === 'tools.call')).toEqual([]);
  await host.close();
});

test('the message that goes on is closed as a whole, without what stood before the tools', async () => {
  const pulled = { text: 'and now?', contents: [], attachments: [], message_chain: null };
  const items = [{ turn_id: 't', event_id: 'e', input: pulled, received_at: 1 }];
  const { host, run, keep } = stage({
    resources: { tools },
    script: inTurn(says('is sent.'), says('Nothing.')),
    api: { 'steering.pull': () => ({ items: items.splice(0) }) },
  });
  keep.storage.set(KEY, record(steps(['ok, sent'])));
  const answer = run({ text: 'send it', said: 'Sending. The mail ' });
  await answer.ended;
  const closed = answer.results.filter(([, type]) => type === 'message.completed').map(([, , data]) => data.message);
  expect(closed).toEqual([{ role: 'assistant', content: 'The mail is sent.' }]);
  await host.close();
});

test('what another turn left behind is not taken up', async () => {
  const { host, run, asked, keep } = stage({ resources: { tools }, script: inTurn(says('Hello.')) });
  keep.storage.set(KEY, record({ ...steps(['ok']), event_id: 'event:another' }));
  await run({ text: 'send it', said: 'Hm. ' }).ended;
  expect(JSON.stringify(asked[0]?.messages)).not.toContain('tool_calls');
  await host.close();
});

test('each batch of tools is on record before and after it is carried out', async () => {
  const kept: unknown[] = [];
  const { host, run, keep } = stage({
    resources: { tools },
    script: inTurn({ says: 'Sending. ', ...calls(['send', { q: 'mail' }]) }, says('Sent.')),
    api: {
      'tools.call': () => {
        kept.push(JSON.parse(String(keep.storage.get(KEY))));
        return { result: 'ok, sent' };
      },
      'steering.pull': () => {
        kept.push(JSON.parse(String(keep.storage.get(KEY))));
        return { items: [] };
      },
    },
  });
  await run('send it').ended;
  expect(kept.slice(0, 2)).toEqual([steps(null), steps(['ok, sent'])]);
  await host.close();
});
