import { ApiError } from '@rostra/runner-sdk';
import { describe, expect, test } from 'vitest';
import { calls, inTurn, modelResource, refusal, says, stage, told, toolResource, typesOf, usage } from './stage.ts';

const wholeMessages = {
  surface: 'api',
  reply_target: null,
  supports_streaming: false,
  supports_edit: false,
  supports_reaction: false,
  max_message_size: null,
  platform_capabilities: {},
};

describe('a plain answer', () => {
  test('comes in pieces where the surface shows pieces', async () => {
    const { host, run, asked } = stage({ script: inTurn(says('Water boils at 100 °C.')) });
    const answer = run('when does water boil?');
    const told = { finish_reason: 'stop', usage: { ...usage, model: 'first' } };
    expect(await answer.ended).toEqual([expect.any(Number), 'run.completed', told]);
    expect(answer.text).toBe('Water boils at 100 °C.');
    expect(typesOf(answer).filter((type) => type === 'message.delta')).toHaveLength(5);
    expect(asked).toMatchObject([{ method: 'models.stream', model_id: 'first', tools: [], extra_args: {} }]);
    await host.close();
  });

  test('comes whole where it does not, and is asked for whole', async () => {
    const { host, run, asked } = stage({ script: inTurn({ says: 'All at once.', thinks: 'Hm.' }) });
    const answer = run({ text: 'hello', context: { delivery: wholeMessages } });
    await answer.ended;
    expect(typesOf(answer)).toEqual(['message.completed', 'run.completed']);
    expect(answer.results[0]?.[2]).toEqual({
      message: { role: 'assistant', content: 'All at once.', reasoning_content: 'Hm.' },
    });
    expect(asked.map(({ method }) => method)).toEqual(['models.invoke']);
    await host.close();
  });

  test('comes at once from a model that does not stream', async () => {
    const models = [{ ...modelResource('first'), operations: ['invoke' as const] }];
    const { host, run } = stage({ resources: { models } });
    const answer = run('hello');
    await answer.ended;
    expect([answer.text, typesOf(answer)]).toEqual(['Hello.', ['message.delta', 'run.completed']]);
    await host.close();
  });

  test('shows what the model thinks apart, and not where the owner wants none of it', async () => {
    const { host, run } = stage({ script: inTurn({ thinks: 'Let me see.', says: 'Four.' }) });
    const [shown, hidden] = [run('2+2?'), run({ text: '2+2?', config: { show_reasoning: false } })];
    await Promise.all([shown.ended, hidden.ended]);
    const thoughts = (results: typeof shown.results) =>
      JSON.stringify(results).match(/"reasoning_content"/g)?.length ?? 0;
    expect([shown.text, thoughts(shown.results)]).toEqual(['Four.', 3]);
    expect([hidden.text, thoughts(hidden.results)]).toEqual(['Four.', 0]);
    await host.close();
  });

  test('that is none ends the run as failed: nobody is shown a blank success', async () => {
    const { host, run } = stage({ script: inTurn({}) });
    const [, type, data] = await run('hello').ended;
    expect([type, data.code, data.retryable]).toEqual(['run.failed', 'model.empty', true]);
    await host.close();
  });

  test('has the owner’s prompt before it, of the configuration and of the host, and the temperature', async () => {
    const prompt = [
      { role: 'system' as const, content: 'Be brief.' },
      { role: 'user' as const, content: 'ping' },
      { role: 'assistant' as const, content: 'pong' },
    ];
    const { host, run, asked } = stage({ api: { 'prompt.get': () => ({ prompt }) } });
    await run({ text: 'hello', config: { prompt: 'You are Ada.', temperature: 0.2 } }).ended;
    const [{ messages = [], extra_args } = {}] = asked;
    expect(messages[0]?.content).toMatch(/^You are Ada\.\n\nBe brief\.\n\n.*is data/s);
    expect(messages.slice(1)).toEqual([
      { role: 'user', content: 'ping' },
      { role: 'assistant', content: 'pong' },
      { role: 'user', content: 'hello' },
    ]);
    expect(extra_args).toEqual({ temperature: 0.2 });
    await host.close();
  });
});

describe('a model in reserve', () => {
  const resources = { models: [modelResource('first'), modelResource('second'), modelResource('third')] };
  const config = { model: 'first', fallback_models: ['second', 'third'] };

  test('answers when the one before it fails before its first piece, and stays', async () => {
    const tools = [toolResource('look')];
    const { host, run, asked } = stage({
      resources: { ...resources, tools },
      api: { 'tools.call': () => ({ result: 'seen' }) },
      script: ({ model_id, messages }) => {
        if (model_id === 'first') return { fails: refusal('MODEL_UNREACHABLE') };
        return messages.some(({ role }) => role === 'tool') ? says('From the second.') : calls('look');
      },
    });
    const answer = run({ text: 'hello', config });
    expect((await answer.ended)[2]).toMatchObject({ usage: { input_tokens: 20, output_tokens: 10, model: 'second' } });
    expect(answer.text).toBe('From the second.');
    expect(asked.map(({ model_id }) => model_id)).toEqual(['first', 'second', 'second']);
    await host.close();
  });

  test('does not answer when one fails after its first piece: what was said stands, and the run fails', async () => {
    const fails = refusal('MODEL_FAILED', 'Anthropic broke off (529).');
    const { host, run, asked } = stage({ resources, script: inTurn({ says: 'Half an', fails }) });
    const answer = run({ text: 'hello', config });
    const [, type, data] = await answer.ended;
    expect([type, data.code, data.message]).toEqual(['run.failed', 'model.failed', 'Anthropic broke off (529).']);
    expect(answer.text).toBe('Half an');
    expect(asked).toHaveLength(1);
    await host.close();
  });

  test('that fails as well ends the run with the last sentence, and what it has used', async () => {
    const key = refusal('MODEL_KEY_REFUSED', 'Anthropic refused the key (401). Check ANTHROPIC_API_KEY.');
    const { host, run } = stage({
      resources: { ...resources, tools: [toolResource('look')] },
      api: { 'tools.call': () => ({ result: 'seen' }) },
      script: (_asked, turn) => (turn === 0 ? calls('look') : { fails: key }),
    });
    const [, type, data] = await run({ text: 'hello', config }).ended;
    expect([type, data.message]).toEqual(['run.failed', 'Anthropic refused the key (401). Check ANTHROPIC_API_KEY.']);
    expect(data.usage).toEqual({ ...usage, model: 'first' });
    await host.close();
  });

  test('is not tried where the agent was granted none of its models: the sentence says what to do', async () => {
    const { host, run } = stage({ resources: { models: [] } });
    const [, type, data] = await run({ text: 'hello', config: { model: 'gone' } }).ended;
    expect([type, data.code]).toEqual(['run.failed', 'model.missing']);
    expect(data.message).toMatch(/may not use the model "gone"\. Configure a model/);
    await host.close();
  });
});

test('a provider that takes no more for now is no reason to wait: the next model answers', async () => {
  const limited = new ApiError('rate_limited', 'OpenAI takes no more calls (429).', {
    retryable: true,
    details: { reason: 'MODEL_RATE_LIMITED', retry_after_ms: 60_000 },
  });
  const { host, run } = stage({
    resources: { models: [modelResource('first'), modelResource('second')] },
    script: ({ model_id }) => (model_id === 'first' ? { fails: limited } : says('Here.')),
  });
  const answer = run({ text: 'hello', config: { fallback_models: ['second'] } });
  await answer.ended;
  expect(answer.text).toBe('Here.');
  await host.close();
});

describe('a run that is held back because its budget is used up', () => {
  test('waits for leave and goes on with the same model', async () => {
    let refusals = 1;
    const held = new ApiError('rate_limited', 'A person is asked.', {
      retryable: true,
      details: { reason: 'budget_exceeded' },
    });
    const { host, run, asked } = stage({
      resources: { models: [modelResource('first'), modelResource('second')] },
      script: () => (refusals-- > 0 ? { fails: held } : says('Thank you.')),
    });
    const answer = run({ text: 'hello', config: { fallback_models: ['second'] } });
    expect((await answer.ended)[1]).toBe('run.completed');
    expect([answer.text, asked.map(({ model_id }) => model_id)]).toEqual(['Thank you.', ['first', 'first']]);
    await host.close();
  });
});

test('a configuration that cannot be followed is refused in one sentence that names the place', async () => {
  const { host, run, asked } = stage();
  const [, type, data] = await run({ text: 'hello', config: { max_iterations: 0 } }).ended;
  expect([type, data.code]).toEqual(['run.failed', 'config.invalid']);
  expect(data.message).toMatch(/max_iterations must be a whole number from 1 to 100\./);
  expect(asked).toEqual([]);
  await host.close();
});

test('an event that is no message is told as an event, and never as a person’s words', async () => {
  const { host, run, asked } = stage();
  const event = {
    event_id: 'e-1',
    event_type: 'order.shipped',
    event_time: null,
    source: 'webhook',
    source_event_type: null,
    raw_ref: null,
    data: { order: 7 },
  };
  await run({ context: { event } }).ended;
  expect(asked[0] && told(asked[0])).toContain(
    '<event type=\\"order.shipped\\" source=\\"webhook\\">\\n{\\"order\\":7}',
  );
  await host.close();
});

test('an answer that the model may not write to its end says so, and one without a word is none', async () => {
  const { host, run } = stage({ script: inTurn({ says: 'Once upon', finish: 'length' }, { finish: 'length' }) });
  const answer = run('tell me');
  expect((await answer.ended)[1]).toBe('run.completed');
  expect(answer.text).toBe('Once upon\n\n[The answer is cut off here: the model may not write more at once.]');
  expect((await run('tell me').ended)[2]).toMatchObject({ code: 'model.empty' });
  await host.close();
});
