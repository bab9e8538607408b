import { deadlines } from '@rostra/kernel/session/deadlines';
import { describe, expect, it } from 'vitest';
import { feKinds, kinds, only, refusalOf, SessionBench, START } from './session-bench.ts';

function asking(): SessionBench {
  const bench = SessionBench.open();
  bench.say('hi', { turn_id: 't' });
  bench.ack();
  bench.ask('q1');
  return bench;
}

const armed = (bench: SessionBench) => deadlines(bench.context).map((deadline) => deadline.kind);

describe('a run that waits for a person (SR-D49)', () => {
  it('opens an interaction for frontends', () => {
    const bench = SessionBench.open();
    bench.say('hi', { turn_id: 't' });
    const published = bench.ask('q1', 60_000);
    expect(feKinds(published)).toEqual(['EVENT:AGENT_STARTED', 'EVENT:INTERACTION_OPENED']);
    expect(only(published, 'EVENT', 'INTERACTION_OPENED').payload).toMatchObject({
      interaction_id: 'q1',
      until: START + 60_000,
    });
    expect(bench.turn.waiting).toMatchObject([{ for: 'INTERACTION', interaction_id: 'q1' }]);
  });

  it('has neither T_idle nor T_turn meanwhile, only the expiry of the question (SR-D49)', () => {
    expect(armed(asking())).toEqual(['INTERACTION']);
  });

  it('goes on when the answer comes, with the clocks where they stood (SR-D49)', () => {
    const bench = asking();
    const until = bench.turn.turn_until;
    bench.advance(600_000);
    const published = bench.answer('q1');
    expect(kinds(published)).toEqual(['CONTROL:INTERACTION_ANSWERED', 'EVENT:INTERACTION_RESOLVED']);
    expect(only(published, 'CONTROL', 'INTERACTION_ANSWERED')).toMatchObject({
      target: 'AGENT',
      target_id: 'a',
      run_id: 't.1',
    });
    expect(bench.turn.turn_until).toBe((until ?? 0) + 600_000);
    expect(bench.deadline('IDLE').at).toBe(bench.now + 60_000);
  });

  it('goes on when the question expires', () => {
    const bench = asking();
    const published = bench.advance(1_800_000);
    expect(kinds(published)).toEqual(['CONTROL:INTERACTION_EXPIRED', 'EVENT:INTERACTION_RESOLVED']);
    expect(only(published, 'EVENT', 'INTERACTION_RESOLVED').payload.outcome).toBe('expired');
    expect(bench.turn.paused_at).toBeNull();
  });

  it('waits as long as one question is open', () => {
    const bench = asking();
    bench.ask('q2');
    bench.answer('q1');
    expect(bench.turn.paused_at).not.toBeNull();
    bench.answer('q2');
    expect(bench.turn.paused_at).toBeNull();
  });

  it('asks for at most 24 hours (SR-D49)', () => {
    const bench = asking();
    bench.ask('q2', 7 * 24 * 3_600_000);
    expect(bench.turn.waiting.at(-1)?.until).toBe(START + 24 * 3_600_000);
  });

  it('asks a question of the same id once', () => {
    const bench = asking();
    expect(bench.ask('q1')).toEqual([]);
    expect(bench.turn.waiting).toHaveLength(1);
  });

  it('tells who answers too late, or what was never asked', () => {
    const bench = asking();
    bench.answer('q1');
    expect(refusalOf(bench.answer('q1'))).toMatchObject({ reason: 'INTERACTION_NOT_OPEN', code: 'not_found' });
    expect(refusalOf(bench.answer('q9')).reason).toBe('INTERACTION_NOT_OPEN');
  });

  it.each(['cancel', 'fail'] as const)('withdraws the question when the run ends by %s', (end) => {
    const bench = asking();
    const resolved = only(bench[end](), 'EVENT', 'INTERACTION_RESOLVED');
    expect(resolved.payload).toMatchObject({ interaction_id: 'q1', outcome: 'run_ended', answer: null });
  });

  it('can be cancelled, and then the cancel has its own deadline', () => {
    const bench = asking();
    bench.cancel();
    expect(armed(bench)).toEqual(['CANCEL_ACK']);
    expect(kinds(bench.advance(5_000))).toContain('EVENT:CANCELED');
  });

  it('may still speak while it waits', () => {
    const bench = asking();
    expect(kinds(bench.chunk('meanwhile'))).toContain('AGENT_OUTPUT:chunk');
    expect(armed(bench)).toEqual(['INTERACTION']);
  });
});
