import { ApiError, type JsonObject, type ModelMessage } from '@rostra/runner-sdk';
import { describe, expect, test } from 'vitest';
import { calls, inTurn, says, stage, toolResource } from './stage.ts';

const KEY = 'binding/turn//';
const tools = [toolResource('send'), toolResource('look')];

/** What the first attempt had on record when it was lost. */
function steps(results: string[] | null) {
  const call = { id: 'call_1', name: 'send', arguments: { q: 'mail' } };
  return { event_id: 'event:run-1', steps: [{ text: 'Sending. ', calls: [call], results, said: 9, heard: [] }] };
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

test('a step that could not be put on record is there with the next one', async () => {
  const kept: string[] = [];
  let writes = 0;
  const { host, run } = stage({
    resources: { tools },
    script: inTurn(calls('send'), calls('look'), says('Done.')),
    api: {
      'tools.call': () => ({ result: 'ok' }),
      'storage.set': ({ value_base64 }) => {
        writes += 1;
        if (writes < 3) throw new ApiError('runtime_error', 'The store is busy.');
        kept.push(Buffer.from(value_base64 ?? '', 'base64').toString());
        return { success: true };
      },
    },
  });
  await run('send it').ended;
  expect(JSON.parse(kept[0] ?? '').steps).toMatchObject([
    { calls: [{ name: 'send' }], results: ['ok'] },
    { calls: [{ name: 'look' }], results: null },
  ]);
  await host.close();
});

describe('a call for which an earlier attempt asked somebody else', () => {
  const begun = (...made: [string, object][]) => {
    const all = made.map(([name, given], index) => ({ id: `call_${index + 1}`, name, arguments: given }));
    return record({ event_id: 'event:run-1', steps: [{ text: '', calls: all, results: null, said: 0, heard: [] }] });
  };
  const answered = (values: JsonObject, action_id: string | null = 'submit') => ({
    metadata: { resume: { attempt: 2, said: '', interaction_answer: { interaction_id: 'i', action_id, values } } },
  });
  const results = (messages: ModelMessage[] = []) => messages.filter(({ role }) => role === 'tool');

  test.each([
    ['what was answered since', answered({ answer: 'blue' }), 'blue'],
    ['that nobody answered in time', answered({}, null), 'Nobody answered the question.'],
  ])('has %s as its result, and the person is not asked again', async (_what, context, content) => {
    const { host, run, asked, keep } = stage({ script: inTurn(says('Painted.')) });
    keep.storage.set(KEY, begun(['ask_person', { question: 'Which colour?' }]));
    await run({ text: 'paint it', config: { ask_person: true }, context }).ended;
    expect(results(asked[0]?.messages)).toEqual([
      { role: 'tool', tool_call_id: 'call_1', name: 'ask_person', content },
    ]);
    expect(host.calls.some(({ method }) => method === 'interactions.request')).toBe(false);
    await host.close();
  });

  test('has what its client gives for it; what the host itself called beside it is not called again', async () => {
    const { host, run, asked, keep } = stage({
      resources: { tools: [...tools, toolResource('pick', { tool_type: 'client' })] },
      script: inTurn(says('Picked.')),
      api: { 'tools.call': ({ tool_name }) => ({ result: `${tool_name}: red` }) },
    });
    keep.storage.set(KEY, begun(['send', {}], ['pick', { from: 'red' }]));
    await run({ text: 'pick one', said: '' }).ended;
    expect(results(asked[0]?.messages)).toMatchObject([
      { tool_call_id: 'call_1', content: expect.stringContaining('not known') },
      { tool_call_id: 'call_2', content: 'pick: red' },
    ]);
    expect(asked).toHaveLength(1);
    await host.close();
  });
});

describe('what was said to an earlier attempt', () => {
  const input = (text: string) => ({ text, contents: [], attachments: [], message_chain: null });
  const steered = (event_id: string, text: string) => ({ turn_id: 't', event_id, input: input(text), received_at: 1 });

  test('is on record before it is acted upon', async () => {
    const kept: unknown[] = [];
    const items = [steered('e-1', 'in French')];
    const { host, run, keep } = stage({
      script: (_asked, turn) => {
        kept.push(keep.storage.has(KEY) ? JSON.parse(String(keep.storage.get(KEY))) : null);
        return says(turn === 0 ? 'Blue.' : 'Bleu.');
      },
      api: { 'steering.pull': () => ({ items: items.splice(0) }) },
    });
    await run('what colour?').ended;
    const heard = [{ event_id: 'e-1', content: 'in French' }];
    expect(kept).toEqual([
      null,
      { event_id: 'event:run-1', steps: [{ text: 'Blue.', calls: [], results: [], said: 5, heard }] },
    ]);
    await host.close();
  });

  test('stands where it was said, and is not answered again when it is handed out again', async () => {
    const [step] = steps(['ok, sent']).steps;
    const heard = [{ event_id: 'e-1', content: 'in French' }];
    const items = [steered('e-1', 'in French'), steered('e-2', 'and in Danish')];
    const { host, run, asked, keep } = stage({
      resources: { tools },
      script: inTurn(says('est parti.'), says('Sendt.')),
      api: { 'steering.pull': () => ({ items: items.splice(0) }) },
    });
    keep.storage.set(KEY, record({ event_id: 'event:run-1', steps: [{ ...step, heard }] }));
    const answer = run({ text: 'send it', said: 'Sending. Le courriel ' });
    await answer.ended;
    expect(asked[0]?.messages.slice(-4)).toMatchObject([
      { role: 'tool', content: 'ok, sent' },
      { role: 'user', content: 'in French' },
      { role: 'assistant', content: 'Le courriel ' },
      { role: 'user', content: expect.stringContaining('cut off') },
    ]);
    expect(asked[1]?.messages.at(-1)).toEqual({ role: 'user', content: 'and in Danish' });
    expect(asked).toHaveLength(2);
    await host.close();
  });
});
