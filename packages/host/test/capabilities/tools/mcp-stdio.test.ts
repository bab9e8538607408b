import { describe, expect, test } from 'vitest';
import { bench, isReady, reference, runCaller } from './shelf-bench.ts';

describe('the reference server over stdio', () => {
  test('its tools are offered under its name and answer with text, data and files', async () => {
    const { shelf, when, call } = bench({ everything: reference({ policy: 'allow', tools: { echo: 'deny' } }) });
    const { tools, problem } = await when('everything', isReady);
    expect(problem).toBeNull();
    expect(tools.length).toBeGreaterThan(8);

    const sum = shelf.find('everything__get-sum');
    expect(sum?.tool.policy).toBe('allow');
    expect(sum?.tool.resource).toMatchObject({
      tool_type: 'mcp',
      owner: 'mcp:everything',
      operations: ['detail', 'call'],
      parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
    });
    expect(shelf.find('everything__echo')?.tool.policy).toBe('deny');

    expect(await call('everything__get-sum', { a: 19, b: 23 })).toEqual({
      content: 'The sum of 19 and 23 is 42.',
      is_error: false,
      files: [],
    });
    const image = await call('everything__get-tiny-image');
    expect(image.files).toHaveLength(1);
    expect(image.files[0]).toMatchObject({ mime_type: 'image/png' });
    expect(image.files[0]?.bytes.subarray(1, 4)).toEqual(Buffer.from('PNG'));
    const weather = await call('everything__get-structured-content', { location: 'New York' });
    expect(weather.content).toMatchObject({ temperature: expect.any(Number) });
    const parallel = [1, 2, 3, 4, 5].map((n) => call('everything__get-sum', { a: n, b: n }));
    expect((await Promise.all(parallel)).map(({ content }) => content)).toEqual(
      [1, 2, 3, 4, 5].map((n) => `The sum of ${n} and ${n} is ${2 * n}.`),
    );
  });

  test('wrong parameters and a call that is given up are told at once, and the server goes on', async () => {
    const { when, call } = bench({ everything: reference() });
    await when('everything', isReady);
    const answer = await call('everything__get-sum', { a: 'one' }).catch((error: unknown) => error);
    expect(answer).toMatchObject({ is_error: true });
    expect(await call('everything__echo', { message: 'still there' })).toMatchObject({ content: 'Echo: still there' });

    const run = new AbortController();
    const slow = call(
      'everything__trigger-long-running-operation',
      { duration: 60, steps: 2 },
      runCaller({ signal: run.signal }),
    );
    run.abort();
    await expect(slow).rejects.toMatchObject({ code: 'deadline_exceeded', message: 'The call was given up.' });
    expect(await call('everything__echo', { message: 'on' })).toMatchObject({ content: 'Echo: on' });
  });
});
