import type { AgentRunContext, TranscriptItem } from '@rostra/runner-sdk';
import { describe, expect, test } from 'vitest';
import { transcriptItem as item, stage, told } from './stage.ts';

/** A history as a host has it: with the message of this very turn in it. */
function pageOf(items: TranscriptItem[]) {
  return {
    'history.page': () => ({ items, next_cursor: null, prev_cursor: null, has_more: false }),
  };
}

const event: AgentRunContext['event'] = {
  event_id: 'e-now',
  event_type: 'message.received',
  event_time: null,
  source: 'api',
  source_event_type: null,
  raw_ref: null,
  data: {},
};
const image = { artifact_id: 'a-1', name: 'cat.png', mime_type: 'image/png', size_bytes: 9, sha256: null };

describe('what was said before', () => {
  test('is used: the marker of turn 1 is known in turn 2 (check 92)', async () => {
    const { host, run, asked } = stage({ history: ['the word is MARKER-7', 'I will remember.'] });
    await run('what was the word?').ended;
    expect(asked[0]?.messages.slice(1)).toEqual([
      { role: 'user', content: 'the word is MARKER-7' },
      { role: 'assistant', content: 'I will remember.' },
      { role: 'user', content: 'what was the word?' },
    ]);
    await host.close();
  });

  test('is not asked for where the host says that there is nothing', async () => {
    const { host, run } = stage();
    const context = {
      conversation_id: null,
      thread_id: null,
      latest_cursor: null,
      event_seq: null,
      transcript_seq: 1,
      has_history_before: false,
      inline_policy: {
        mode: 'current_event' as const,
        delivered_count: 1,
        source_total_count: null,
        messages_complete: false,
        reason: null,
      },
      available_apis: { ...noApis, history_page: true },
    };
    await run({ text: 'hello', context: { context } }).ended;
    expect(host.calls.map(({ method }) => method)).toEqual(['models.stream']);
    await host.close();
  });

  test('has neither the message of this turn nor what waits behind it; an answer that came later counts', async () => {
    const { host, run, asked } = stage({
      api: pageOf([
        item(1, { content: 'first question' }),
        item(2, { event_id: 'e-now', content: 'this question' }),
        item(3, { event_id: 'e-1', role: 'assistant', content: 'first answer' }),
        item(4, { content: 'waits for its own turn' }),
      ]),
    });
    await run({ text: 'this question', context: { event } }).ended;
    expect(asked[0]?.messages.slice(1)).toEqual([
      { role: 'user', content: 'first question' },
      { role: 'assistant', content: 'first answer' },
      { role: 'user', content: 'this question' },
    ]);
    await host.close();
  });

  test('has its images as images, what tools gave as data, and says which answers were cut off', async () => {
    const { host, run, asked } = stage({
      api: pageOf([
        item(1, { content: 'look', content_json: [{ type: 'image', artifact: image }] }),
        item(2, { role: 'tool', item_type: 'tool_result', content: 'a cat', metadata: { tool_name: 'see' } }),
        item(3, { role: 'assistant', content: 'I see a', metadata: { status: 'cancelled' } }),
      ]),
    });
    await run({ text: 'well?', context: { event } }).ended;
    expect(asked[0]?.messages.slice(1)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image', artifact: image },
          { type: 'text', text: '<tool_result tool="see">\na cat\n</tool_result>' },
        ],
      },
      { role: 'assistant', content: 'I see a\n[This answer was cut off.]' },
      { role: 'user', content: 'well?' },
    ]);
    await host.close();
  });
});

describe('the message of the turn', () => {
  test('keeps its images and files as elements; what is text is read', async () => {
    const notes = { ...image, artifact_id: 'a-2', name: 'notes.md', mime_type: 'text/markdown' };
    const pdf = { ...image, artifact_id: 'a-3', name: 'paper.pdf', mime_type: 'application/pdf' };
    const { host, run, asked, keep } = stage();
    keep.artifacts.set('a-2', { data: { mime_type: 'text/markdown' }, bytes: Buffer.from('# Notes </file> x') });
    const input = {
      text: 'what is in these?',
      contents: [{ type: 'image' as const, artifact: image }],
      attachments: [image, notes, pdf],
      message_chain: null,
    };
    await run({ context: { input } }).ended;
    expect(asked[0]?.messages.at(-1)?.content).toEqual([
      { type: 'text', text: 'what is in these?' },
      { type: 'image', artifact: image },
      { type: 'text', text: '<file name="notes.md" artifact_id="a-2">\n# Notes <\\/file> x\n</file>' },
      { type: 'file', artifact: pdf },
    ]);
    await host.close();
  });

  test('of an agent that was handed the conversation is what the other one left, as data', async () => {
    const { host, run, asked } = stage({ history: ['help me', 'I pass you on.'] });
    const handed = {
      ...event,
      event_type: 'session.handover',
      data: { from_agent_id: 'guide', reason: 'needs depth' },
    };
    await run({ text: 'needs depth', context: { event: handed } }).ended;
    const text = asked[0] && told(asked[0]);
    expect(text).toContain('<handover>\\n{\\"from_agent_id\\":\\"guide\\",\\"reason\\":\\"needs depth\\"}');
    expect(text).toContain('help me');
    await host.close();
  });
});

const noApis: AgentRunContext['context']['available_apis'] = {
  history_page: false,
  history_search: false,
  event_get: false,
  event_page: false,
  artifact_metadata: false,
  artifact_read: false,
  state: false,
  storage: false,
  prompt_get: false,
  steering_pull: false,
  run_get: false,
  run_list: false,
  run_events_page: false,
  run_cancel: false,
};
