import type { ApiAnswers } from '@rostra/runner-sdk/testing';
import { expect, test } from 'vitest';
import { calls, inTurn, says, stage, toolResource, typesOf } from './stage.ts';

/** Gives these messages one pull after the other; an empty text is a pull that finds nothing. */
function pulls(...texts: string[]): ApiAnswers {
  return {
    'steering.pull': () => {
      const text = texts.shift() ?? '';
      const input = { text, contents: [], attachments: [], message_chain: null };
      return { items: text === '' ? [] : [{ turn_id: 't', event_id: 'e', input, received_at: 1 }] };
    },
  };
}

const tools = [toolResource('look')];

test('what was said meanwhile is taken up after a batch of tools', async () => {
  const { host, run, asked } = stage({
    resources: { tools },
    script: inTurn(calls('look'), says('In French: bleu.')),
    api: { 'tools.call': () => ({ result: 'blue' }), ...pulls('answer in French', '') },
  });
  const answer = run('what colour?');
  await answer.ended;
  expect(asked[1]?.messages.slice(-2)).toMatchObject([
    { role: 'tool', content: 'blue' },
    { role: 'user', content: 'answer in French' },
  ]);
  expect(host.calls.filter(({ method }) => method === 'steering.pull')).toHaveLength(2);
  await host.close();
});

test('what was said meanwhile is taken up before the turn would end, and answered in a message of its own', async () => {
  const { host, run, asked } = stage({
    script: inTurn(says('It is blue.'), says('It is bleu.')),
    api: pulls('in French, please', ''),
  });
  const answer = run('what colour?');
  await answer.ended;
  expect(asked[1]?.messages.slice(-2)).toEqual([
    { role: 'assistant', content: 'It is blue.' },
    { role: 'user', content: 'in French, please' },
  ]);
  const closed = answer.results.filter(([, type]) => type === 'message.completed').map(([, , data]) => data.message);
  expect(closed).toEqual([{ role: 'assistant', content: 'It is blue.' }]);
  expect(answer.text).toBe('It is blue.It is bleu.');
  await host.close();
});

test('nothing is taken that could not be acted upon: at the bound of steps it is left for a turn of its own', async () => {
  const { host, run } = stage({
    resources: { tools },
    script: ({ tools: offered }) => (offered.length > 0 ? calls('look') : says('That is all.')),
    api: { 'tools.call': () => ({ result: 'blue' }), ...pulls('', 'too late') },
  });
  const answer = run({ text: 'go', config: { max_iterations: 1 } });
  await answer.ended;
  expect(typesOf(answer).at(-1)).toBe('run.completed');
  expect(host.calls.filter(({ method }) => method === 'steering.pull')).toHaveLength(1);
  await host.close();
});
