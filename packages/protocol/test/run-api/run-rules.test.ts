import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContentBlock } from '../../src/run-api/run-agent-input.ts';
import { checkRunAgentInput, foreignUrl, RunRule } from '../../src/run-api/run-rules.ts';

const threadId = '550e8400-e29b-41d4-a716-446655440000';
const user = (content: unknown = 'hello', more: object = {}) => ({ id: 'msg-001', role: 'user', content, ...more });
const body = (more: object = {}) => ({ threadId, runId: 'run-001', messages: [user()], ...more });
const image = (more: object = {}) => ({
  type: 'binary',
  mimeType: 'image/png',
  url: 'https://x.example/i.png',
  ...more,
});

function message(input: unknown): string | null {
  const check = checkRunAgentInput(input);
  return check.ok ? null : check.error.message;
}

function path(input: unknown): unknown {
  const check = checkRunAgentInput(input);
  return check.ok ? null : check.error.details.path;
}

describe('the rules of a run', () => {
  it('takes the text example and the tools example of the contract as they stand', () => {
    const text = { threadId, runId: 'run-001', state: {}, messages: [user('帮我查一下北京今天的天气')] };
    expect(message({ ...text, tools: [], context: [], forwardedProps: {} })).toBeNull();
    const parameters = {
      type: 'object',
      properties: { city: { type: 'string', description: '城市名称' } },
      required: ['city'],
    };
    const tools = [{ name: 'get_weather', description: '获取指定城市的天气信息', parameters }];
    expect(message({ ...text, tools, context: [], forwardedProps: {} })).toBeNull();
  });

  it('takes a body without state, tools, context, forwardedProps and parentRunId', () => {
    expect(checkRunAgentInput(body())).toEqual({ ok: true, input: body() });
  });

  it.each([null, 7, 'x', true, [1], { a: [null] }])('takes any JSON as state and as forwardedProps: %j', (value) => {
    const full = body({ state: value, forwardedProps: value });
    expect(checkRunAgentInput(full)).toEqual({ ok: true, input: full });
  });

  it.each([
    '../../x',
    '%2e%2e',
    '\u0000',
    'x'.repeat(10_000),
    [],
    {},
    null,
    undefined,
    7,
    `${threadId}\n`,
    `{${threadId}}`,
    threadId.replaceAll('-', ''),
  ])('refuses a threadId that is no UUID: %j', (value) => {
    expect(message(body({ threadId: value }))).toBe(RunRule.threadId);
  });

  it('takes a UUID in capitals', () => {
    expect(message(body({ threadId: threadId.toUpperCase() }))).toBeNull();
  });

  it('counts runId in code points: 1 to 128', () => {
    expect(message(body({ runId: '' }))).toBe(RunRule.runId);
    expect(message(body({ runId: 'r' }))).toBeNull();
    expect(message(body({ runId: '😀'.repeat(128) }))).toBeNull();
    expect(message(body({ runId: '😀'.repeat(129) }))).toBe(RunRule.runId);
    expect(message(body({ runId: 'r'.repeat(129) }))).toBe(RunRule.runId);
  });

  it('takes 200 messages and refuses 201', () => {
    const others = (n: number) => Array.from({ length: n }, (_, i) => ({ id: `m${i}`, role: 'system', content: 'x' }));
    expect(message(body({ messages: [user(), ...others(199)] }))).toBeNull();
    expect(message(body({ messages: [user(), ...others(200)] }))).toBe(RunRule.messages);
  });

  it('takes 10,000 code points of user text over all blocks and refuses one more', () => {
    const half = '😀'.repeat(5_000);
    const blocks = (...texts: string[]) => texts.map((text) => ({ type: 'text', text }));
    expect(message(body({ messages: [user('😀'.repeat(10_000))] }))).toBeNull();
    expect(message(body({ messages: [user('x'.repeat(10_001))] }))).toBe(RunRule.userText);
    expect(message(body({ messages: [user(blocks(half, half))] }))).toBeNull();
    expect(message(body({ messages: [user(blocks(half, half, 'x'))] }))).toBe(RunRule.userText);
  });

  it('wants exactly one user message', () => {
    const system = { id: 's', role: 'system', content: 'x' };
    for (const messages of [[], [system], [user(), user()], [user(), system, user()]]) {
      expect(message(body({ messages }))).toBe(RunRule.oneUser);
    }
    expect(message(body({ messages: undefined }))).toBe(RunRule.oneUser);
  });

  it('wants the user message first', () => {
    expect(message(body({ messages: [{ id: 's', role: 'system', content: 'x' }, user()] }))).toBe(RunRule.userFirst);
  });

  it('wants an image, by url, without data', () => {
    const send = (...blocks: object[]) => message(body({ messages: [user(blocks)] }));
    expect(send(image({ mimeType: 'text/html' }))).toBe(RunRule.imageOnly);
    expect(send(image({ mimeType: 'image/' }))).toBe(RunRule.imageOnly);
    expect(send(image({ mimeType: undefined }))).toBe(RunRule.imageOnly);
    expect(send(image({ url: undefined }))).toBe(RunRule.url);
    expect(send(image({ url: '' }))).toBe(RunRule.url);
    expect(send(image({ data: 'AAAA' }))).toBe(RunRule.noData);
  });

  it('leaves it to the host whose a url is, which has one answer to all that are not its own', () => {
    expect(message(body({ messages: [user([{ type: 'text', text: 'x' }, image()])] }))).toBeNull();
    expect(foreignUrl('messages[0].content[1].url').toJSON()).toMatchObject({
      code: 'invalid_argument',
      message: 'binary content url is not one of this host',
      details: { path: 'messages[0].content[1].url', hint: expect.stringContaining('/api/v1/agent/attachments') },
    });
  });

  it('takes no drawings that are programs (case 19)', () => {
    const drawing = body({ messages: [user([image({ mimeType: 'image/svg+xml' })])] });
    expect(message(drawing)).toBe('binary content of type image/svg+xml is not allowed');
  });

  it.each([
    [
      [{ name: '', description: '', parameters: {} }],
      'tools[0].name must have 1 to 128 characters and no control characters',
    ],
    [[tool('a\n')], 'tools[0].name must have 1 to 128 characters and no control characters'],
    [[tool('a'), tool('a')], 'tools[1].name is the name of two tools'],
    [[tool('a', { $ref: 'https://evil.example/schema' })], 'tools[0].parameters refers to a schema elsewhere'],
    [
      [tool('a', { items: [{ $dynamicRef: 'file:///etc/passwd' }] })],
      'tools[0].parameters refers to a schema elsewhere',
    ],
    [[tool('a', { $ref: '#/$defs/a', pattern: '(a+)+$' })], null],
  ])('hands schemas of tools on without resolving or compiling them: %j (case 18)', (tools, sentence) => {
    expect(message(body({ tools }))).toBe(sentence);
  });

  it('answers with the first broken rule in the order of the contract, however many are broken', () => {
    const breaks: [string, (input: Record<string, unknown>) => void][] = [
      [RunRule.threadId, (input) => Object.assign(input, { threadId: 'x' })],
      [RunRule.runId, (input) => Object.assign(input, { runId: 'r'.repeat(129) })],
      [RunRule.messages, (input) => pushMessages(input, 200)],
      [RunRule.userText, (input) => addBlock(input, { type: 'text', text: 'x'.repeat(10_001) })],
      [RunRule.oneUser, (input) => list(input).push(user())],
      [RunRule.userFirst, (input) => list(input).unshift({ id: 's', role: 'system', content: 'x' })],
      [RunRule.imageOnly, (input) => addBlock(input, image({ mimeType: 'text/html' }))],
      [RunRule.url, (input) => addBlock(input, { type: 'binary', mimeType: 'image/png' })],
      [RunRule.noData, (input) => addBlock(input, image({ data: 'AA' }))],
      ['tools: Invalid input: expected array, received string', (input) => Object.assign(input, { tools: 'x' })],
    ];
    fc.assert(
      fc.property(fc.subarray([...breaks.keys()], { minLength: 1 }), (chosen) => {
        const input: Record<string, unknown> = body({ messages: [user([{ type: 'text', text: 'hi' }])] });
        // Blocks go into the user message while it still stands first.
        for (const n of [...chosen].sort((a, b) => b - a)) breaks[n]![1](input);
        expect(message(input)).toBe(breaks[Math.min(...chosen)]![0]);
      }),
    );
  });
});

function tool(name: string, parameters: object = {}) {
  return { name, description: 'd', parameters };
}

function list(input: Record<string, unknown>): object[] {
  return input.messages as object[];
}

function pushMessages(input: Record<string, unknown>, n: number): void {
  list(input).push(...Array.from({ length: n }, (_, i) => ({ id: `m${i}`, role: 'system', content: 'x' })));
}

function addBlock(input: Record<string, unknown>, block: object): void {
  const found = list(input).find((item) => 'content' in item && Array.isArray(item.content)) as { content: object[] };
  found.content.push(block);
}

describe('the types of a run', () => {
  it.each<[string, object]>([
    ['runId', { runId: 7 }],
    ['runId', { runId: undefined }],
    ['parentRunId', { parentRunId: null }],
    ['tools', { tools: {} }],
    ['tools[0].parameters', { tools: [{ name: 'a', description: 'b', parameters: 'c' }] }],
    ['context[0].value', { context: [{ description: 'd', value: 1 }] }],
    ['messages[0].id', { messages: [{ role: 'user', content: 'x' }] }],
    ['messages[0].content', { messages: [user(7)] }],
    [
      'messages[0].content[1].text',
      {
        messages: [
          user([
            { type: 'text', text: 'a' },
            { type: 'text', text: 1 },
          ]),
        ],
      },
    ],
    ['messages[0].content[0].type', { messages: [user([{ type: 'image', source: {} }])] }],
    ['messages[1].role', { messages: [user(), { id: 'x', role: 'wizard', content: 'x' }] }],
    ['messages[1].toolCallId', { messages: [user(), { id: 'x', role: 'tool', content: 'x' }] }],
    [
      'messages[1].toolCalls[0].function.arguments',
      {
        messages: [
          user(),
          {
            id: 'a',
            role: 'assistant',
            toolCalls: [{ id: 't', type: 'function', function: { name: 'n', arguments: {} } }],
          },
        ],
      },
    ],
    ['forwardedProps.agentId', { forwardedProps: { agentId: 7 } }],
    ['forwardedProps.agentId', { forwardedProps: { agentId: '' } }],
    ['forwardedProps.agentId', { forwardedProps: { agentId: 'a'.repeat(129) } }],
    ['runId', { runId: 'a\r\nb' }],
    ['runId', { runId: 'a\u0085' }],
  ])('names the path of what is wrong: %s', (expected, more) => {
    expect(path(body(more))).toBe(expected);
    expect(message(body(more))).toContain(expected);
  });

  it('knows blocks of text and of binary content, and no other', () => {
    const blocks = [
      { type: 'text', text: 'x' },
      image({ url: undefined }),
      image({ id: 'i', data: '', filename: 'f' }),
    ];
    for (const block of blocks) expect(ContentBlock.parse(block)).toEqual(block);
    for (const block of [{ type: 'text' }, { type: 'binary' }, { type: 'video', url: 'x' }, 'x']) {
      expect(ContentBlock.safeParse(block).success).toBe(false);
    }
  });

  it.each(['null', '[]', '"x"', '7', 'true'])('refuses a body that is no object: %s', (text) => {
    expect(message(JSON.parse(text))).toBe('the body must be a RunAgentInput object');
  });

  it('takes messages of every role after the user', () => {
    const call = { id: 'c', type: 'function', function: { name: 'n', arguments: '{}' }, encryptedValue: null };
    const messages = [
      user([{ type: 'text', text: 'x' }], { name: 'Ada', encryptedValue: 'v' }),
      { id: '1', role: 'assistant', content: null, name: null, toolCalls: [call], encryptedValue: null },
      { id: '2', role: 'system', content: 's', name: null, encryptedValue: null },
      { id: '3', role: 'developer', content: 'd' },
      { id: '4', role: 'tool', content: 't', toolCallId: 'c', error: null },
      { id: '5', role: 'reasoning', content: 'r' },
      { id: '6', role: 'activity', activityType: 'progress', content: { done: 1 } },
    ];
    expect(message(body({ messages, parentRunId: 'run-000' }))).toBeNull();
  });

  it.each(['/', 'ｒｕｎ', '../..', '<script>', '😀'])('takes any other runId as an opaque string: %s', (runId) => {
    expect(message(body({ runId }))).toBeNull();
  });

  it.each(['__proto__', 'constructor', 'prototype'])('refuses the key %s wherever it stands', (key) => {
    const evil = `{"${key}":{"polluted":1}}`;
    for (const text of [
      `{"threadId":"${threadId}","runId":"r","messages":[{"id":"m","role":"user","content":"x"}],"state":{"a":[${evil}]}}`,
      `{"threadId":"${threadId}","runId":"r","messages":[{"id":"m","role":"user","content":"x"}],"${key}":1}`,
      `{"threadId":"${threadId}","runId":"r","messages":[{"id":"m","role":"user","content":"x","${key}":1}]}`,
      `{"threadId":"${threadId}","runId":"r","messages":[{"id":"m","role":"user","content":"x"}],"forwardedProps":${evil}}`,
    ]) {
      expect(message(JSON.parse(text))).toContain(`${key} is not allowed`);
    }
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('decides about any JSON value without throwing', () => {
    const near = fc.record(
      {
        threadId: fc.oneof(fc.constant(threadId), fc.jsonValue()),
        runId: fc.oneof(fc.string(), fc.jsonValue()),
        messages: fc.oneof(
          fc.array(fc.record({ role: fc.constantFrom('user', 'tool', 7), content: fc.jsonValue() })),
          fc.jsonValue(),
        ),
        tools: fc.jsonValue(),
        forwardedProps: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), near), (value) => {
        const check = checkRunAgentInput(value);
        if (!check.ok) expect(check.error.code).toBe('invalid_argument');
      }),
    );
  });
});
