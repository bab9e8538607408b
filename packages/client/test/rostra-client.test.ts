import { describe, expect, test } from 'vitest';
import { RostraClient } from '../src/rostra-client.ts';
import { type Asked, events, HastyTiming, refusal, ScriptedHost } from './scripted-host.ts';

const accepted = () => Response.json({ taskId: 't', threadId: 'a', runId: 'b', created: 'now' }, { status: 202 });
const lost = () => Promise.reject(new TypeError('fetch failed'));

function clientOf(host: ScriptedHost, timing = new HastyTiming()): RostraClient {
  return new RostraClient({ baseUrl: 'http://host/', key: 'a-key', fetch: host.fetch, timing });
}

const bodyOf = ({ body }: Asked) => JSON.parse(String(body));

describe('a call', () => {
  test('shows the key, says what it accepts, and marks what changes something', async () => {
    const host = new ScriptedHost(
      () => Response.json({ items: [], nextCursor: null }),
      () => new Response(null, { status: 204 }),
    );
    const client = clientOf(host);
    await client.sessions.list({ limit: 3 });
    await client.sessions.delete('a b');
    const [list, removal] = host.asked;
    expect(list?.url).toBe('http://host/api/v1/sessions?limit=3');
    expect(list?.headers.get('authorization')).toBe('Bearer a-key');
    expect(list?.headers.get('accept')).toBe('application/json');
    expect(list?.headers.has('x-rostra-request')).toBe(false);
    expect(removal).toMatchObject({ method: 'DELETE', url: 'http://host/api/v1/sessions/a%20b' });
    expect(removal?.headers.get('x-rostra-request')).toBe('1');
  });

  test('of a page without a key leaves it to the cookie', async () => {
    const host = new ScriptedHost(() => Response.json({ items: [], nextCursor: null }));
    await new RostraClient({ fetch: host.fetch }).sessions.list();
    expect(host.asked[0]?.url).toBe('/api/v1/sessions');
    expect(host.asked[0]?.headers.has('authorization')).toBe(false);
  });

  test('that something between refuses in words of its own is an error all the same', async () => {
    const host = new ScriptedHost(() => new Response('<h1>Bad gateway</h1>', { status: 502 }));
    await expect(clientOf(host).sessions.list()).rejects.toMatchObject({
      status: 502,
      code: 'runtime_error',
      message: 'the answer had status 502',
      retryable: true,
    });
  });

  test('that reaches something else than a host says so', async () => {
    const host = new ScriptedHost(() => new Response('<h1>Welcome</h1>'));
    await expect(clientOf(host).sessions.list()).rejects.toThrow('what answers there is no Rostra host');
  });

  test.each([
    '127.0.0.1:9301',
    'localhost:9301',
    '//host',
    'ftp://host',
    'http://',
    'http://me:pw@host',
    'http://host?a=1',
  ])('to %s is a mistake that is named when the client is made', (baseUrl) => {
    expect(() => new RostraClient({ baseUrl })).toThrow(/^baseUrl .*write it like http:\/\/127\.0\.0\.1:8787$/);
    expect(() => new RostraClient({ baseUrl })).not.toThrow('pw');
  });

  test.each(['ключ', 'a key', 'a\nkey'])('with %j for a key is a mistake that is named, and the key is not', (key) => {
    expect(() => new RostraClient({ baseUrl: 'http://host', key })).toThrow(/^key is no key of a host/);
    expect(() => new RostraClient({ baseUrl: 'http://host', key })).not.toThrow(key);
  });

  test('shows a key without the line that ended its file', async () => {
    const host = new ScriptedHost(() => Response.json({ items: [], nextCursor: null }));
    await new RostraClient({ baseUrl: 'http://host', key: 'a-key\n', fetch: host.fetch }).sessions.list();
    expect(host.asked[0]?.headers.get('authorization')).toBe('Bearer a-key');
  });

  test('outside of a page wants to know of which host, and a stream does not wait for one', async () => {
    const client = new RostraClient();
    await expect(client.sessions.list()).rejects.toThrow(/^baseUrl is missing/);
    await expect(client.runs.follow('t')[Symbol.asyncIterator]().next()).rejects.toThrow(TypeError);
  });

  test('with a header that cannot be sent is a mistake of its caller, also of a stream', async () => {
    const host = new ScriptedHost();
    const stream = clientOf(host).runs.follow('t', { after: 'ключ' });
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow(TypeError);
    expect(host.asked).toEqual([]);
  });

  test('without a needed parameter is a mistake of its caller', async () => {
    await expect(clientOf(new ScriptedHost()).sessions.get('')).rejects.toThrow(TypeError);
  });

  test('that is called off rejects with the reason of the signal', async () => {
    const host = new ScriptedHost(lost);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(clientOf(host).sessions.list({}, { signal })).rejects.toThrow('enough');
  });

  test.each([200, 503])(
    'that is called off while its answer of status %i comes rejects with the reason',
    async (status) => {
      const leaving = new AbortController();
      const host = new ScriptedHost(({ signal }) => {
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('{"items":['));
            signal?.addEventListener('abort', () => controller.error(signal.reason));
          },
        });
        setTimeout(() => leaving.abort(new Error('enough')));
        return new Response(body, { status });
      });
      const call = clientOf(host).sessions.list({}, { signal: leaving.signal });
      await expect(call).rejects.toThrow('enough');
    },
  );

  test('reads further pages only when they are asked for', async () => {
    const page = (id: string, nextCursor: string | null) => () => Response.json({ items: [{ id }], nextCursor });
    const host = new ScriptedHost(page('a', 'next'), page('b', null));
    const each = clientOf(host).sessions.each();
    expect((await each.next()).value?.id).toBe('a');
    expect(host.asked).toHaveLength(1);
    expect((await each.next()).value?.id).toBe('b');
    expect((await each.next()).done).toBe(true);
    expect(host.asked[1]?.url).toContain('cursor=next');
  });
});

describe('a run that is started', () => {
  test('carries one user message, and names its agent', async () => {
    const host = new ScriptedHost(accepted);
    await clientOf(host).runs.submit({ text: 'hello', agentId: 'scout', forwardedProps: { a: 1 } });
    const [asked] = host.asked;
    expect(asked?.headers.get('content-type')).toBe('application/json');
    const body = asked === undefined ? null : bodyOf(asked);
    expect(body).toMatchObject({
      threadId: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
      messages: [{ role: 'user', content: 'hello' }],
      forwardedProps: { a: 1, agentId: 'scout' },
    });
  });

  test('has its images behind its words', async () => {
    const host = new ScriptedHost(accepted);
    const image = { id: 'i', url: 'http://host/i', mimeType: 'image/png', size: 1, filename: 'i.png', expiresAt: '' };
    await clientOf(host).runs.submit({ text: 'look', attachments: [image] });
    expect(host.asked.map(bodyOf)[0].messages[0].content).toEqual([
      { type: 'text', text: 'look' },
      { type: 'binary', id: 'i', mimeType: 'image/png', url: 'http://host/i', filename: 'i.png' },
    ]);
  });

  test('says the same to the last id when its own name is given again', async () => {
    const host = new ScriptedHost(accepted, accepted, accepted);
    const { runs } = clientOf(host);
    const order = { threadId: '550e8400-e29b-41d4-a716-446655440000', text: 'hello' };
    for (const runId of ['order-1', 'order-1', 'order-2']) await runs.submit({ ...order, runId });
    const [first, again, other] = host.asked.map(bodyOf);
    expect(again).toEqual(first);
    expect(other.messages[0].id).not.toBe(first.messages[0].id);
  });

  test('is sent again under the same name when no answer came', async () => {
    const host = new ScriptedHost(lost, refusal(503, {}), accepted);
    const timing = new HastyTiming();
    expect(await clientOf(host, timing).runs.submit({ text: 'x' })).toMatchObject({ taskId: 't' });
    const bodies = host.asked.map(({ body }) => body);
    expect(new Set(bodies).size).toBe(1);
    expect(timing.waits).toEqual([200, 400]);
  });

  test('is not sent again when it was refused, and not for ever', async () => {
    const refused = new ScriptedHost(refusal(422, { code: 'invalid_argument', message: 'no' }));
    await expect(clientOf(refused).runs.submit({ text: 'x' })).rejects.toMatchObject({ status: 422 });
    expect(refused.asked).toHaveLength(1);
    const gone = new ScriptedHost();
    await expect(clientOf(gone).runs.submit({ text: 'x' })).rejects.toMatchObject({ status: 0 });
    expect(gone.asked).toHaveLength(4);
  });

  test('needs either text or messages', async () => {
    await expect(clientOf(new ScriptedHost()).runs.submit({})).rejects.toThrow('either text or messages');
  });
});

describe('a run that is followed', () => {
  const told = (n: number, event: object) => `id: ${n}.0.1\ndata: ${JSON.stringify(event)}\n\n`;
  const finished = (outcome?: object) => ({ type: 'RUN_FINISHED', threadId: 'a', runId: 'b', outcome });
  const interrupt = finished({ type: 'interrupt', interrupts: [{ id: 'q', reason: 'confirmation' }] });
  const status = (word: string) => () => Response.json({ taskId: 't', status: word });

  async function typesOf(host: ScriptedHost): Promise<string[]> {
    const types: string[] = [];
    for await (const { type } of clientOf(host).runs.follow('t')) types.push(type);
    return types;
  }

  test.each([
    ['RUN_FINISHED', finished()],
    ['RUN_ERROR', { type: 'RUN_ERROR', message: 'no' }],
  ])('is over when it ends behind %s', async (type, event) => {
    const host = new ScriptedHost(events([told(1, event)]));
    expect(await typesOf(host)).toEqual([type]);
    expect(host.asked).toHaveLength(1);
  });

  test.each([
    ['a question', interrupt],
    ['a call of a tool', { ...finished(), metadata: { pendingToolCallIds: ['c'] } }],
  ])('goes on behind %s as long as the host says that it lives', async (_, event) => {
    const host = new ScriptedHost(
      events([told(1, event)]),
      status('interrupted'),
      events([told(2, { type: 'RUN_STARTED', threadId: 'a', runId: 'c' }), told(3, finished())]),
    );
    expect(await typesOf(host)).toEqual(['RUN_FINISHED', 'RUN_STARTED', 'RUN_FINISHED']);
  });

  test('that ended with a question is over', async () => {
    const host = new ScriptedHost(events([told(1, interrupt)]), status('completed'));
    expect(await typesOf(host)).toEqual(['RUN_FINISHED']);
  });

  test('is over when the host says that everything was read', async () => {
    const host = new ScriptedHost(() => new Response(null, { status: 204 }));
    expect(await typesOf(host)).toEqual([]);
    expect(host.asked).toHaveLength(1);
  });
});
