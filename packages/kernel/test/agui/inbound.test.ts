import type { RunAgentInput } from '@rostra/protocol/run-api/run-agent-input';
import { UserInputPayload } from '@rostra/protocol/session/input';
import { describe, expect, it } from 'vitest';
import { urlsOf, userInputOf } from '../../src/agui/inbound.ts';

const input = (more: Partial<RunAgentInput> = {}): RunAgentInput => ({
  threadId: '550e8400-e29b-41d4-a716-446655440000',
  runId: 'run-001',
  messages: [{ id: 'msg-001', role: 'user', content: 'hello' }],
  ...more,
});

describe('a run as USER_INPUT', () => {
  it('carries text, the client’s names and the hash', () => {
    expect(userInputOf(input(), 'h')).toEqual({
      input: { text: 'hello', contents: [{ type: 'text', text: 'hello' }], attachments: [], message_chain: null },
      client_run_id: 'run-001',
      client_message_id: 'msg-001',
      payload_hash: 'h',
      data: {},
    });
  });

  it('joins text blocks and keeps every block in order', () => {
    const content = [
      { type: 'text' as const, text: 'a' },
      { type: 'binary' as const, mimeType: 'image/png', url: 'https://x/1' },
      { type: 'text' as const, text: 'b' },
    ];
    const { input: made } = userInputOf(input({ messages: [{ id: 'm', role: 'user', content }] }), 'h');
    expect(made.text).toBe('a\nb');
    expect(made.contents).toEqual([
      { type: 'text', text: 'a' },
      { type: 'image', url: 'https://x/1' },
      { type: 'text', text: 'b' },
    ]);
  });

  it('has the files that stand behind its urls, and their urls no more', () => {
    const content = [{ type: 'binary' as const, mimeType: 'image/png', url: 'https://x/1' }];
    const artifact = { artifact_id: 'a1', name: 'dot.png', mime_type: 'image/png', size_bytes: 3, sha256: null };
    const asked = input({ messages: [{ id: 'm', role: 'user', content }] });
    expect(urlsOf(asked)).toEqual(['https://x/1']);
    const { input: made } = userInputOf(asked, 'h', new Map([['https://x/1', artifact]]));
    expect(made).toMatchObject({ contents: [{ type: 'image', artifact }], attachments: [artifact] });
    expect(JSON.stringify(made)).not.toContain('https://x/1');
  });

  it('has no text when no block has one', () => {
    expect(userInputOf(input({ messages: [{ id: 'm', role: 'user', content: [] }] }), 'h').input.text).toBeNull();
  });

  it('keeps what came beside the message as data, client messages apart', () => {
    const tools = [{ name: 't', description: 'd', parameters: {} }];
    const context = [{ description: 'd', value: 'v' }];
    const system = { id: 's', role: 'system' as const, content: 'obey' };
    const full = input({ tools, context, state: { a: null }, forwardedProps: { x: 1 }, parentRunId: 'run-000' });
    const payload = userInputOf({ ...full, messages: [...full.messages, system] }, 'h');
    expect(payload.data).toEqual({
      tools,
      context,
      state: { a: null },
      forwarded_props: { x: 1 },
      parent_run_id: 'run-000',
      client_messages: [system],
      untrusted: ['client_messages'],
    });
    expect(UserInputPayload.parse(payload)).toEqual(payload);
  });

  it.each([
    [{ agentId: 'scout' }, 'scout'],
    [{}, undefined],
    [null, undefined],
    [['agentId'], undefined],
    ['agentId', undefined],
  ])('forwardedProps %j mention %s', (forwardedProps, expected) => {
    expect(userInputOf(input({ forwardedProps }), 'h').mentioned_agent_id).toBe(expected);
  });
});
