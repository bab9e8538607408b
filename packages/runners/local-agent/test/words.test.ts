import { expect, test } from 'vitest';
import { CallReader } from '../src/call-reader.ts';
import { inTurn, modelResource, says, stage, toolResource, typesOf } from './stage.ts';

const resources = { models: [modelResource('plain', { native_tools: false })], tools: [toolResource('look')] };
const written = '<tool_call>{"name": "look", "arguments": {"q": "sky"}}</tool_call>';

test('a model that cannot be handed tools reads of them, and its calls are found in what it writes', async () => {
  const { host, run, asked } = stage({
    resources,
    script: inTurn(says(`I will look. ${written}`), says('It is blue.')),
    api: { 'tools.call': ({ parameters }) => ({ result: `blue ${JSON.stringify(parameters)}` }) },
  });
  const answer = run('what colour is the sky?');
  await answer.ended;
  expect(answer.text).toBe('I will look. It is blue.');
  expect(typesOf(answer)).toContain('tool.call.completed');
  expect(asked[0]?.tools).toEqual([]);
  expect(asked[0]?.messages[0]?.content).toContain('- look: does look\n  - args_schema: {"type":"object"');
  expect(asked[1]?.messages.slice(-2)).toEqual([
    {
      role: 'assistant',
      content: `I will look. \n${'<tool_call>{"name":"look","arguments":{"q":"sky"}}</tool_call>'}`,
    },
    { role: 'user', content: '<tool_result tool="look">\nblue {"q":"sky"}\n</tool_result>' },
  ]);
  await host.close();
});

test('calls that cannot be read are told to such a model, too', async () => {
  const { host, run, asked } = stage({
    resources,
    script: inTurn(says('<tool_call>look at the sky</tool_call>'), says('Sorry.')),
  });
  const answer = run('go');
  expect((await answer.ended)[1]).toBe('run.completed');
  expect(asked[1]?.messages.at(-1)?.content).toContain('not written as JSON: look at the sky');
  await host.close();
});

test.each([1, 2, 3, 7, 200])('a call is taken out of a text that comes %i characters at a time', (size) => {
  const text = `Look < here <tool_ca no. ${written} Then ${written.replace('sky', 'sea')}`;
  const reader = new CallReader(true);
  let shown = '';
  for (let from = 0; from < text.length; from += size) shown += reader.read(text.slice(from, from + size));
  shown += reader.end();
  expect(shown).toBe('Look < here <tool_ca no.  Then ');
  expect(reader.calls).toEqual([
    { id: 'call-1', name: 'look', arguments: { q: 'sky' } },
    { id: 'call-2', name: 'look', arguments: { q: 'sea' } },
  ]);
});

test('a last call that is not closed is a call', () => {
  const reader = new CallReader(true);
  reader.read('<tool_call>{"name":"look"}');
  expect(reader.end()).toBe('');
  expect(reader.calls).toEqual([{ id: 'call-1', name: 'look', arguments: {} }]);
});
