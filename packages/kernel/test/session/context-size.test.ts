import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { SessionBench } from './session-bench.ts';

const uuid = (index: number) => `018f0000-0000-7000-8000-${String(index).padStart(12, '0')}`;

/** A session that is at every limit at once, with text that takes three bytes a character. */
function fullSession(): SessionBench {
  const agents = Array.from({ length: limits.roster - 14 }, (_, index) => `agent-${index}`);
  const policies = { 'agent-0': { steering: true } };
  const bench = SessionBench.open({ session_id: uuid(0), agents, policies, default_agent_id: 'agent-0' });
  const long = '语'.repeat(limits.collected_output_chars * 1.5);
  const words = '由'.repeat(limits.handover_text_bytes);
  bench.say('a', { turn_id: uuid(1) });
  bench.chunk(long);
  for (let index = 0; index < limits.interactions; index += 1) bench.ask(uuid(400 + index));
  bench.final();
  bench.say('b', { turn_id: uuid(2) });
  bench.chunk(long);
  for (let index = 0; index < limits.steering; index += 1) bench.say('s', { turn_id: uuid(100 + index) });
  for (let index = 0; index < limits.queue; index += 1) bench.say('q', { turn_id: uuid(300 + index) });
  for (let index = 0; index < limits.expired_invites; index += 1) {
    bench.control('INVITE_AGENT', { agent_id: `guest-${index}` });
    bench.addFailed();
  }
  for (let index = 0; index < limits.transactions - 2; index += 1) {
    bench.control('INVITE_AGENT', { agent_id: `guest-${index}` });
  }
  const request = { target_agent_id: 'agent-1', reason: words, summary: words };
  bench.control('HANDOVER_REQUEST', request, bench.numbered());
  return bench;
}

describe('the context', () => {
  it('at every limit at once, in Chinese, is bounded', () => {
    const { context } = fullSession();
    expect(Object.keys(context.inflight)).toHaveLength(1 + limits.steering + limits.queue);
    expect(Object.keys(context.transactions)).toHaveLength(limits.transactions - 1);
    expect(context.questions).toHaveLength(limits.interactions);
    // Most of it are the waiting turns, 0.7 KB each, and three copies of text.
    expect(bytesOf(context)).toBeLessThanOrEqual(limits.context_bytes);
  });

  it('of a session that answers, with others waiting, is a few kilobytes', () => {
    const bench = SessionBench.open();
    for (let index = 0; index < 4; index += 1) bench.say('q', { turn_id: uuid(index) });
    bench.chunk('语'.repeat(500));
    expect(bytesOf(bench.context)).toBeLessThan(8 * 1024);
  });

  it('does not grow with what is over: a thousand turns leave nothing but the last one behind', () => {
    const bench = SessionBench.open();
    const turn = (index: number) => {
      bench.say('q', { turn_id: uuid(index) });
      bench.chunk('an answer');
      bench.final();
      return bytesOf(bench.context);
    };
    const first = turn(1);
    for (let index = 2; index < 1_000; index += 1) turn(index);
    expect(turn(1_000) - first).toBeLessThan(20);
  });
});

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
