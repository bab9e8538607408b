import { describe, expect, test } from 'vitest';
import { calls, inTurn, says, stage, toolResource, typesOf } from './stage.ts';

const handed = { agent_id: 'scout', reason: 'Needs detail.', summary: 'About ports.' };

describe('a handover', () => {
  test('is not offered where there is nobody to hand over to', async () => {
    const { host, run, asked } = stage();
    await run('hello').ended;
    expect(asked[0]?.tools).toEqual([]);
    await host.close();
  });

  test.each([
    ['the host', { platform_capabilities: { handover_to: ['scout'] } }, {}],
    ['the configuration', {}, { handover_to: ['scout'] }],
  ])('to an agent that %s names is requested, said, and ends the turn', async (_who, resources, config) => {
    const { host, run, asked } = stage({
      resources,
      script: inTurn(calls(['request_handover', handed]), says('Scout may go on.')),
    });
    const answer = run({ text: 'more detail', config });
    await answer.ended;
    expect(typesOf(answer)[0]).toBe('action.requested');
    expect(answer.results[0]?.[2]).toEqual({
      action: 'session.handover',
      target: { agent_id: 'scout' },
      payload: { reason: 'Needs detail.', summary: 'About ports.' },
    });
    expect(answer.text).toBe('Scout may go on.');
    expect(asked.map(({ tools }) => tools.length)).toEqual([1, 0]);
    await host.close();
  });

  test('of which the model says nothing is said all the same', async () => {
    const { host, run } = stage({
      resources: { platform_capabilities: { handover_to: ['scout'] } },
      script: inTurn(calls(['request_handover', handed]), says('')),
    });
    const answer = run('more detail');
    expect((await answer.ended)[1]).toBe('run.completed');
    expect(answer.text).toBe('I ask to pass this conversation on.');
    await host.close();
  });

  test('to anybody else is answered to the model', async () => {
    const { host, run, asked } = stage({
      resources: { platform_capabilities: { handover_to: ['scout'] } },
      script: inTurn(calls(['request_handover', { ...handed, agent_id: 'root' }]), says('I stay.')),
    });
    const answer = run('go');
    await answer.ended;
    expect(typesOf(answer)).not.toContain('action.requested');
    expect(asked[1]?.messages.at(-1)?.content).toBe('Error: there is no agent "root" to hand over to.');
    await host.close();
  });
});

describe('a question to a person', () => {
  test('is asked where the owner allows it, and its answer is the result', async () => {
    const { host, run, asked } = stage({
      script: inTurn(calls(['ask_person', { question: 'Which one?', options: ['red', 'blue'] }]), says('Blue it is.')),
      api: {
        'interactions.request': ({ request }) => {
          expect(request).toMatchObject({ kind: 'choice', title: 'Which one?' });
          return { interaction_id: 'i', status: 'open', action: null, values: {} };
        },
        'interactions.wait': () => ({ interaction_id: 'i', status: 'submitted', action: 'option-2', values: {} }),
      },
    });
    const answer = run({ text: 'paint it', config: { ask_person: true } });
    await answer.ended;
    expect(asked[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'blue' });
    await host.close();
  });

  test.each([
    ['expires', { status: 'expired' as const, action: null }],
    ['is cancelled', { status: 'submitted' as const, action: 'cancel' }],
  ])('that %s is told as unanswered', async (_how, outcome) => {
    const { host, run, asked } = stage({
      script: inTurn(calls(['ask_person', { question: 'Which one?' }]), says('Never mind.')),
      api: { 'interactions.request': () => ({ interaction_id: 'i', values: {}, ...outcome }) },
    });
    await run({ text: 'paint it', config: { ask_person: true } }).ended;
    expect(asked[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Nobody answered the question.' });
    await host.close();
  });
});

describe('a large result that the host keeps as a file', () => {
  test('can be read further by the model, part by part', async () => {
    const artifact = { artifact_id: 'big', name: 'log.txt', mime_type: 'text/plain', size_bytes: 40_000, sha256: null };
    const { host, run, asked, keep } = stage({
      resources: { tools: [toolResource('log')] },
      script: inTurn(
        calls('log'),
        calls(['read_artifact', { artifact_id: 'big', offset: 16_384 }]),
        calls(['read_artifact', { artifact_id: 'gone' }]),
        says('Read.'),
      ),
      api: { 'tools.call': () => ({ result: { artifact, preview: 'aaa', truncated: true } }) },
    });
    keep.artifacts.set('big', {
      data: { mime_type: 'text/plain' },
      bytes: Buffer.from('a'.repeat(20_000).concat('b'.repeat(20_000))),
    });
    const answer = run({ text: 'go', config: { max_tool_result_chars: 50_000 } });
    await answer.ended;
    expect(answer.text).toBe('Read.');
    expect(asked[2]?.messages.at(-1)?.content).toMatch(
      /^<file artifact_id="big">\na{3616}b{12768}\n<\/file>\nThere is more from offset 32768 on\.$/,
    );
    expect(asked[3]?.messages.at(-1)?.content).toMatch(/^Error: /);
    await host.close();
  });
});
