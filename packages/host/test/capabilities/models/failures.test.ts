import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelChunk } from '@rostra/protocol/api/models';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it, vi } from 'vitest';
import { aCall, asked, canary, modelWorld, providers, refusalOf, streamed, weather } from './model-world.ts';

const world = await modelWorld();
const guarded = await modelWorld({ api_key: 'sk-the-right-one' });
const narrow = await modelWorld({ context_window: 200 });

/** Lets time pass until the work is over: what waits for the clock is woken. */
async function passTime<T>(clock: { advance(ms: number): void }, work: Promise<T>, step = 1000): Promise<T> {
  let over = false;
  const end = () => {
    over = true;
  };
  work.then(end, end);
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(step);
  }
  return await work;
}

/** An error as it would be told, logged or stored. */
function told(error: ApiError): string {
  return `${error.message} ${JSON.stringify(error)} ${error.stack} ${String(error.cause)}`;
}

describe.each(providers)('with %s', (provider) => {
  it('a key that is refused gives one sentence with provider, status and what to check, and not the key', async () => {
    const model = guarded.model({ provider });
    for (const work of [model.invoke(asked('hello'), aCall()), streamed(model, asked('hello'))]) {
      const error = await refusalOf(work);
      expect(error).toMatchObject({
        code: 'runtime_error',
        retryable: false,
        details: { reason: 'MODEL_KEY_REFUSED', provider, status: 401, hint: 'Check the api_key of tested.' },
      });
      expect(error.message).toMatch(/refused the key \(401\)\. Check the api_key of tested\.$/);
      expect(told(error)).not.toContain(canary);
    }
  });

  it('a model that is unknown there is named', async () => {
    const error = await refusalOf(world.model({ provider, model: 'missing-one' }).invoke(asked('hello'), aCall()));
    expect(error).toMatchObject({ code: 'not_found', details: { reason: 'MODEL_NOT_FOUND', status: 404 } });
    expect(error.message).toContain('missing-one');
  });

  it('more than the model can read is payload_too_large', async () => {
    const long = asked(`${'many words '.repeat(200)} [[say: never]]`);
    for (const work of [narrow.model({ provider }).invoke(long, aCall()), streamed(narrow.model({ provider }), long)]) {
      expect(await refusalOf(work)).toMatchObject({
        code: 'payload_too_large',
        details: { reason: 'CONTEXT_OVERFLOW', status: 400 },
      });
    }
  });

  it('a refusal that passes is tried again, as often as is configured, and not more', async () => {
    const model = world.model({ provider, retries: 2 });
    const { text } = await passTime(world.clock, streamed(model, asked(`[[status: 503 x2]] [[say: ${provider} now]]`)));
    expect(text).toBe(`${provider} now`);
    const before = world.server.requests.length;
    const error = await refusalOf(passTime(world.clock, streamed(model, asked('[[status: 503]]'))));
    expect(error).toMatchObject({
      code: 'runtime_error',
      retryable: true,
      details: { reason: 'MODEL_FAILED', status: 503 },
    });
    expect(world.server.requests.length - before).toBe(3);
  });

  it('a provider that is asked too often says so', async () => {
    const error = await refusalOf(world.model({ provider, retries: 0 }).invoke(asked('[[status: 429]]'), aCall()));
    expect(error).toMatchObject({
      code: 'rate_limited',
      retryable: true,
      details: { reason: 'MODEL_RATE_LIMITED', status: 429 },
    });
  });

  it('a stream that breaks half way fails after what came, and nothing is said twice', async () => {
    const chunks: ModelChunk[] = [];
    const before = world.server.requests.length;
    const model = world.model({ provider, retries: 5 });
    const work = model.stream(asked('[[fail-after: 2]] [[say: one two three four]]'), aCall(), async (chunk) => {
      chunks.push(chunk);
    });
    const error = await refusalOf(work);
    expect(error).toMatchObject({ code: 'runtime_error', retryable: true, details: { reason: 'MODEL_UNREACHABLE' } });
    expect(chunks.map(({ content }) => content).join('')).toBe('one two');
    expect(world.server.requests.length - before).toBe(1);
  });

  it('a stream that breaks before its first piece is begun again', async () => {
    const before = world.server.requests.length;
    const work = streamed(world.model({ provider, retries: 1 }), asked('[[fail-after: 0]] [[say: never]]'));
    expect(await refusalOf(passTime(world.clock, work))).toMatchObject({ details: { reason: 'MODEL_UNREACHABLE' } });
    expect(world.server.requests.length - before).toBe(2);
  });

  it('arguments that are no JSON object are told as they were written, and the run goes on', async () => {
    const { calls, answer } = await streamed(
      world.model({ provider }),
      asked('[[bad-arguments: weather]]', { tools: [weather] }),
    );
    expect(calls).toMatchObject([
      { name: 'weather', arguments: provider === 'google' ? expect.anything() : '{"broken": ' },
    ]);
    expect(answer.finish_reason).toBe('tool_calls');
    const called = { role: 'assistant' as const, content: null, tool_calls: calls };
    const result = { role: 'tool' as const, tool_call_id: calls[0]?.id ?? '', content: 'These are no arguments.' };
    const said = { role: 'user' as const, content: '[[say: never]] [[then]] [[say: sorry]]' };
    const { text } = await streamed(world.model({ provider }), asked([said, called, result], { tools: [weather] }));
    expect(text).toBe('sorry');
  });

  it('an upstream that hangs ends the call after its time-out, before and within an answer (fault 25)', async () => {
    for (const prompt of ['[[hang]]', '[[hang-after: 1]] [[say: one two three]]']) {
      const model = world.model({ provider, timeout: 5000 });
      const before = world.server.requests.length;
      const error = await refusalOf(passTime(world.clock, streamed(model, asked(prompt))));
      expect(error).toMatchObject({ code: 'deadline_exceeded', retryable: true, details: { reason: 'MODEL_TIMEOUT' } });
      expect(error.message).toContain('5 seconds');
      await vi.waitFor(() => expect(world.server.requests[before]).toMatchObject({ aborted: true }));
      expect(world.server.requests.length - before).toBe(1);
    }
  });

  it('whoever gives up is heard by the provider at once', async () => {
    const caller = new AbortController();
    const before = world.server.requests.length;
    const gone = new ApiError('runtime_error', 'The caller wants no more of the answer.');
    const model = world.model({ provider });
    const work = model.stream(asked('[[slow: 5]] [[long: 2000]]'), aCall(caller.signal), async () =>
      caller.abort(gone),
    );
    expect(await refusalOf(work)).toBe(gone);
    await vi.waitFor(() => expect(world.server.requests[before]).toMatchObject({ aborted: true, answered: false }));
    const whole = new AbortController();
    const invoked = refusalOf(model.invoke(asked('[[hang]]'), aCall(whole.signal)));
    await vi.waitFor(() => expect(world.server.requests.length - before).toBe(2));
    whole.abort(gone);
    expect(await invoked).toBe(gone);
    await vi.waitFor(() => expect(world.server.requests.at(-1)).toMatchObject({ aborted: true }));
  });
});

describe('a provider', () => {
  it('that nobody hears is unreachable, with its address and no more', async () => {
    const base_url = 'http://user:secret@127.0.0.1:9/v1';
    const error = await refusalOf(
      world.model({ provider: 'openai-compatible', base_url, retries: 0 }).invoke(asked('hello'), aCall()),
    );
    expect(error).toMatchObject({ code: 'runtime_error', retryable: true, details: { reason: 'MODEL_UNREACHABLE' } });
    expect(told(error)).not.toContain('secret');
    expect(error.details.hint).toBe('Check that a server runs at http://127.0.0.1:9.');
  });

  it('that asks to be left alone is left alone for so long', async () => {
    const model = world.model({ provider: 'anthropic', retries: 1 });
    const start = world.clock.now();
    const prompt = '[[status: 429 x1]] [[retry-after: 7]] [[say: again]]';
    expect((await passTime(world.clock, streamed(model, asked(prompt)), 100)).text).toBe('again');
    expect(world.clock.now() - start).toBeGreaterThanOrEqual(7000);
  });

  it('that asks for more patience than a call has is not waited for', async () => {
    const before = world.server.requests.length;
    const model = world.model({ provider: 'anthropic', retries: 5 });
    const error = await refusalOf(streamed(model, asked('[[status: 429]] [[retry-after: 3600]]')));
    expect(error).toMatchObject({ code: 'rate_limited', details: { retry_after_ms: 3_600_000 } });
    expect(world.server.requests.length - before).toBe(1);
  });

  it('that points elsewhere is not followed: the key would go along', async () => {
    const heard: string[] = [];
    const elsewhere = createServer((request, response) => {
      heard.push(request.url ?? '');
      if (request.url === '/v1/messages') response.writeHead(307, { location: '/stolen' });
      response.end('{}');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const { port } = elsewhere.address() as AddressInfo;
    const model = world.model({ provider: 'anthropic', base_url: `http://127.0.0.1:${port}`, retries: 0 });
    const error = await refusalOf(model.invoke(asked('hello'), aCall()));
    elsewhere.close();
    expect(error.details.reason).toBe('MODEL_UNREACHABLE');
    expect(heard).toEqual(['/v1/messages']);
  });

  it.each([
    ['a page of HTML', 200, '<html>Sign in</html>', 'MODEL_FAILED'],
    ['JSON of another kind', 200, '{"hello": "world"}', 'MODEL_FAILED'],
    ['a page of HTML as a failure', 502, '<html>Bad gateway</html>', 'MODEL_FAILED'],
  ])('that answers with %s fails with a sentence', async (_name, status, body, reason) => {
    const fetch = async () => new Response(body, { status, headers: { 'content-type': 'text/html' } });
    const model = world.model({ provider: 'openai-compatible', retries: 0 }, { fetch });
    for (const work of [model.invoke(asked('hello'), aCall()), streamed(model, asked('hello'))]) {
      const error = await refusalOf(work);
      expect(error).toMatchObject({ code: 'runtime_error', details: { reason, hint: expect.any(String) } });
      expect(told(error)).not.toContain('<html>');
    }
  });

  it('that repeats a key in its own words is quoted without it, and not at length', async () => {
    const headers = { 'x-tenant': 'tenant-secret-77' };
    const message = `Bad header tenant-secret-77 for ${canary}: ${'and so on '.repeat(100)}`;
    const fetch = async () => Response.json({ error: { message } }, { status: 400 });
    const model = world.model({ provider: 'openai-compatible', headers }, { fetch });
    const error = await refusalOf(model.invoke(asked('hello'), aCall()));
    expect(error.message).toContain('Bad header […] for […]');
    expect(error.message.length).toBeLessThan(limits.model_words_chars + 100);
    expect(told(error)).not.toContain(canary);
    expect(told(error)).not.toContain('tenant-secret');
  });

  it('whose words were made to be long holds up nobody (case 71)', async () => {
    const message = 'input token count '.repeat(50_000);
    const fetch = async () => Response.json({ error: { message } }, { status: 400 });
    const begun = performance.now();
    await refusalOf(world.model({ provider: 'openai-compatible' }, { fetch }).invoke(asked('hello'), aCall()));
    expect(performance.now() - begun).toBeLessThan(1000);
  });

  it('that never stops is not read to its end', async () => {
    const piece = new Uint8Array(4 * 1024 * 1024).fill(0x20);
    let sent = 0;
    let isCut = false;
    const fetch: typeof globalThis.fetch = async () => {
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += piece.length;
          if (sent > limits.model_answer_bytes * 2) controller.close();
          else controller.enqueue(piece);
        },
        cancel() {
          isCut = true;
        },
      });
      return new Response(body, { headers: { 'content-type': 'application/json' } });
    };
    const model = world.model({ provider: 'openai-compatible', retries: 2 }, { fetch });
    const error = await refusalOf(model.invoke(asked('hello'), aCall()));
    expect(error).toMatchObject({ code: 'payload_too_large', details: { reason: 'MODEL_FAILED' } });
    expect(sent).toBeLessThan(limits.model_answer_bytes + 10 * piece.length);
    expect(isCut).toBe(true);
  });

  it('whose account is empty is not asked again', async () => {
    let asks = 0;
    const fetch = async () => {
      asks += 1;
      return Response.json(
        { error: { message: 'You exceeded your quota', code: 'insufficient_quota' } },
        { status: 429 },
      );
    };
    const error = await refusalOf(world.model({ provider: 'openai' }, { fetch }).invoke(asked('hello'), aCall()));
    expect(error).toMatchObject({ code: 'rate_limited', retryable: false, details: { reason: 'MODEL_RATE_LIMITED' } });
    expect(asks).toBe(1);
  });

  const events = (...deltas: [object, string | null][]) => {
    const event = ([delta, finish_reason]: [object, string | null]) =>
      `data: ${JSON.stringify({ id: 'x', created: 0, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const headers = { 'content-type': 'text/event-stream' };
    return async () => new Response(`${deltas.map(event).join('')}data: [DONE]\n\n`, { headers });
  };

  it('that gives two calls the same id, or none, is told their results apart', async () => {
    const call = (index: number, id: string) => ({
      tool_calls: [{ index, id, type: 'function', function: { name: 'weather', arguments: '{}' } }],
    });
    const fetch = events([call(0, 'same'), null], [call(1, 'same'), null], [call(2, ''), null], [{}, 'tool_calls']);
    const model = world.model({ provider: 'openai-compatible' }, { fetch });
    const { calls, answer } = await streamed(model, asked('hello', { tools: [weather] }));
    expect(calls.length).toBe(3);
    expect(new Set(calls.map(({ id }) => id || calls)).size).toBe(3);
    expect(answer).toMatchObject({ finish_reason: 'tool_calls', usage: null });
  });

  it('that ends politely without saying that it is over has broken off', async () => {
    const fetch = events([{ content: 'half an' }, null]);
    const model = world.model({ provider: 'openai-compatible' }, { fetch });
    const error = await refusalOf(streamed(model, asked('hello')));
    expect(error).toMatchObject({ retryable: true, details: { reason: 'MODEL_FAILED' } });
    expect(error.message).toContain('broke off before its answer was complete');
  });

  it('is not waited for while its listener is not ready', async () => {
    const model = world.model({ provider: 'anthropic', timeout: 5000 });
    let pieces = 0;
    const slow = async () => {
      pieces += 1;
      world.clock.advance(60_000);
    };
    const answer = await model.stream(asked('[[say: one two three]]'), aCall(), slow);
    expect(answer.message.content).toBe('one two three');
    expect(pieces).toBe(4);
  });

  it('that goes on saying anything is not silent', async () => {
    const model = world.model({ provider: 'anthropic', timeout: 5000 });
    const chunks: ModelChunk[] = [];
    const work = model.stream(asked('[[slow: 1]] [[long: 20]]'), aCall(), async (chunk) => {
      chunks.push(chunk);
      await new Promise((resolve) => setImmediate(resolve));
      world.clock.advance(4000);
    });
    expect((await work).finish_reason).toBe('stop');
    expect(chunks.length).toBe(21);
  });
});
