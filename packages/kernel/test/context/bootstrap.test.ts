import { inline, type RecentMessages } from '@rostra/kernel/context/bootstrap';
import { bootstrapPlan } from '@rostra/kernel/context/bootstrap-plan';
import { emptyState } from '@rostra/kernel/context/run-context';
import { AgentBootstrap } from '@rostra/protocol/config/agent-config';
import { AgentRunnerContextPolicy, BootstrapMode } from '@rostra/protocol/runner/manifest';
import { BootstrapContext } from '@rostra/protocol/runner/run-context';
import type { Json } from '@rostra/protocol/wire/json';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cursors, earlier } from './earlier.ts';

type ManifestSays = Parameters<typeof AgentRunnerContextPolicy.parse>[0];
type AgentSays = Parameters<typeof AgentBootstrap.parse>[0];

function plan(manifest: object, agent: object) {
  const said: ManifestSays = { ownership: 'host_bootstrap', ...manifest };
  const wants: AgentSays = agent;
  return bootstrapPlan(AgentRunnerContextPolicy.parse(said), AgentBootstrap.parse(wants));
}

const tail = { bootstrap: 'recent_tail' };
const wanted = { mode: 'recent_tail' };

describe('what is inlined', () => {
  test('is the current event and no history unless somebody says otherwise (CX-9.1)', () => {
    expect(bootstrapPlan(AgentRunnerContextPolicy.parse({}), AgentBootstrap.parse({})).mode).toBe('current_event');
  });

  test('is never more than manifest and agent both ask for', () => {
    const rank = (mode: BootstrapMode) => BootstrapMode.options.indexOf(mode);
    for (const bootstrap of BootstrapMode.options) {
      for (const mode of BootstrapMode.options) {
        const got = rank(plan({ bootstrap }, { mode }).mode);
        expect(got).toBe(Math.min(rank(bootstrap), rank(mode)));
      }
    }
  });

  test('is no history for a runner that manages its own context, and a sentence says so (CX-5.2)', () => {
    expect(plan({ ...tail, ownership: 'self_managed' }, wanted)).toMatchObject({
      mode: 'current_event',
      reason: 'The runner manages its own context.',
    });
    expect(plan({ ...tail, ownership: 'hybrid' }, wanted)).toMatchObject({ mode: 'recent_tail', reason: null });
    expect(plan(tail, {}).reason).toContain('agent');
    expect(plan({}, wanted).reason).toContain('runner');
  });

  test('is 20 items and 32 KiB where nobody names a number', () => {
    expect(plan(tail, wanted)).toMatchObject({ max_items: 20, max_bytes: 32 * 1024 });
  });

  test('is the smaller of the numbers that are named, and never beyond 200 items and 256 KiB', () => {
    const named = plan(
      { ...tail, max_inline_events: 50, max_inline_bytes: 9000 },
      { ...wanted, max_events: 30, max_bytes: 9999 },
    );
    expect(named).toMatchObject({ max_items: 30, max_bytes: 9000 });
    const greedy = plan({ ...tail, max_inline_events: 10_000 }, { ...wanted, max_bytes: 10_000_000 });
    expect(greedy).toMatchObject({ max_items: 200, max_bytes: 256 * 1024 });
  });
});

const recentTail = plan(tail, wanted);

function told(recent: RecentMessages, given = recentTail, checkpoint?: Json) {
  const conversation = checkpoint === undefined ? {} : { 'runner.compaction.checkpoint': checkpoint };
  return inline(given, recent, 'now', { ...emptyState, conversation }, cursors);
}

describe('a recent tail', () => {
  test('is what was said before, oldest first, without the current message', () => {
    const rows = [earlier(1, 'one'), earlier(2, 'two', { role: 'assistant' }), earlier(5, 'now', { turn_id: 'now' })];
    const { bootstrap, policy } = told({ rows, has_more: false });
    expect(bootstrap).toEqual({
      messages: [
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'two' },
      ],
      summary: null,
      artifacts: [],
      metadata: { first_cursor: cursors.seal(1), last_cursor: cursors.seal(2) },
    });
    expect(BootstrapContext.parse(bootstrap)).toEqual(bootstrap);
    expect(policy).toEqual({
      mode: 'recent_tail',
      delivered_count: 2,
      source_total_count: 2,
      messages_complete: true,
      reason: null,
    });
  });

  test('keeps the newest and says that it is not all', () => {
    const rows = Array.from({ length: 30 }, (_, index) => earlier(index + 1, `m${index + 1}`));
    const { bootstrap, policy } = told({ rows, has_more: true });
    expect(bootstrap?.messages).toHaveLength(20);
    expect(bootstrap?.messages.at(-1)).toEqual({ role: 'user', content: 'm30' });
    expect(policy).toMatchObject({ delivered_count: 20, source_total_count: null, messages_complete: false });
  });

  test('counts bytes, not characters', () => {
    const six = { ...recentTail, max_bytes: JSON.stringify({ role: 'user', content: '' }).length + 6 };
    expect(told({ rows: [earlier(1, 'é漢a')], has_more: false }, six).bootstrap?.messages).toHaveLength(1);
    expect(told({ rows: [earlier(1, '漢漢a')], has_more: false }, six).bootstrap?.messages).toHaveLength(0);
  });

  test('never exceeds its bounds', () => {
    const message = fc.string({ unit: 'grapheme', maxLength: 60 });
    const bounds = fc.record({
      max_items: fc.integer({ min: 1, max: 10 }),
      max_bytes: fc.integer({ min: 1, max: 500 }),
    });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 20 }), bounds, (texts, { max_items, max_bytes }) => {
        const rows = texts.map((text, index) => earlier(index + 1, text));
        const { messages = [] } =
          told({ rows, has_more: false }, { ...recentTail, max_items, max_bytes }).bootstrap ?? {};
        expect(messages.length).toBeLessThanOrEqual(max_items);
        const bytes = messages.reduce<number>((sum, each) => sum + Buffer.byteLength(JSON.stringify(each)), 0);
        expect(bytes).toBeLessThanOrEqual(max_bytes);
      }),
    );
  });

  test('carries references to artifacts, whole contents, and nothing that is no message', () => {
    const artifact = { artifact_id: 'a1', name: 'x', mime_type: 'text/plain', size_bytes: 1, sha256: null };
    const parts = [{ type: 'text', text: 'see' }];
    const rows = [
      earlier(1, 'see', { content_json: parts, attachments: [artifact] }),
      earlier(2, 'joined', { item_type: 'event' }),
    ];
    const { bootstrap } = told({ rows, has_more: false });
    expect(bootstrap).toMatchObject({ messages: [{ role: 'user', content: parts }], artifacts: [artifact] });
  });

  test('that nobody could read is the current event', () => {
    expect(inline(recentTail, null, 'now', emptyState)).toMatchObject({
      bootstrap: null,
      policy: { mode: 'current_event', delivered_count: 1 },
    });
  });
});

describe('a summary tail', () => {
  const summaryTail = plan({ bootstrap: 'summary_tail' }, { mode: 'summary_tail' });
  const rows = [earlier(1, 'one'), earlier(4, 'four'), earlier(9, 'nine')];

  test.each([
    ['a number', 4],
    ['a cursor', cursors.seal(4)],
  ])('is the runner’s own checkpoint and what came after it, given as %s', (_name, covers_until) => {
    const { bootstrap, policy } = told({ rows, has_more: true }, summaryTail, { summary: 'so far', covers_until });
    expect(bootstrap).toMatchObject({ summary: 'so far', messages: [{ content: 'nine' }] });
    expect(policy).toMatchObject({ mode: 'summary_tail', delivered_count: 1, messages_complete: false });
  });

  test('has the same summary, byte for byte, until the runner stores another one (CX-6.6)', () => {
    const first = { summary: 'so far', covers_until: 4, made_by: 'compaction 1' };
    const turns = [rows, [...rows, earlier(12, 'twelve')], [...rows, earlier(12, 'twelve'), earlier(15, 'fifteen')]];
    const told1 = turns.map((known) => told({ rows: known, has_more: true }, summaryTail, first).bootstrap);
    expect(told1.map((each) => each?.summary)).toEqual(['so far', 'so far', 'so far']);
    expect(told1.map((each) => each?.messages.length)).toEqual([1, 2, 3]);
    const second = { summary: 'so far and more', covers_until: 12 };
    const after = told({ rows: turns[2] ?? [], has_more: true }, summaryTail, second).bootstrap;
    expect(after).toMatchObject({ summary: 'so far and more', messages: [{ content: 'fifteen' }] });
  });

  test('whose checkpoint names a place that this host did not give covers nothing', () => {
    const checkpoint = { summary: 'so far', covers_until: 'made up' };
    const { bootstrap } = told({ rows, has_more: true }, summaryTail, checkpoint);
    expect(bootstrap).toMatchObject({ summary: 'so far', messages: [{}, {}, {}] });
  });

  test.each([[undefined], ['text'], [{ summary: 7 }]])(
    'without a checkpoint (%j) is a recent tail: the host makes no summary',
    (checkpoint) => {
      const { bootstrap, policy } = told({ rows, has_more: false }, summaryTail, checkpoint);
      expect(bootstrap).toMatchObject({ summary: null, messages: [{}, {}, {}] });
      expect(policy).toMatchObject({ mode: 'recent_tail', reason: 'The runner has stored no summary.' });
    },
  );
});

test('with no bootstrap at all nothing counts as delivered', () => {
  const none = plan({ bootstrap: 'none' }, {});
  expect(inline(none, null, 'now', emptyState)).toMatchObject({
    bootstrap: null,
    policy: { mode: 'none', delivered_count: 0 },
  });
});
