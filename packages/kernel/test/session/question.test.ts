import { deadlines } from '@rostra/kernel/session/deadlines';
import { isSettled, owes } from '@rostra/kernel/session/outbox';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { feKinds, kinds, only, refusalOf, SessionBench, START } from './session-bench.ts';

/** A turn that asked and was completed without the answer. */
function left(): SessionBench {
  const bench = SessionBench.open({ agents: ['a', 'b'] });
  bench.say('hi', { turn_id: 't' });
  bench.ack();
  bench.ask('q1');
  bench.final();
  return bench;
}

describe('a question whose turn was completed (SR-INV-T12, SR-D53)', () => {
  it('stays open with the expiry it had', () => {
    const bench = left();
    expect(bench.context.inflight).toEqual({});
    expect(bench.context.questions).toMatchObject([{ interaction_id: 'q1', agent_id: 'a', turn_id: 't' }]);
    expect(deadlines(bench.context)).toMatchObject([
      { kind: 'INTERACTION', interaction_id: 'q1', at: START + 1_800_000 },
    ]);
  });

  it('tells nobody that it ended', () => {
    const bench = SessionBench.open();
    bench.say('hi', { turn_id: 't' });
    bench.ask('q1');
    expect(kinds(bench.final())).not.toContain('EVENT:INTERACTION_RESOLVED');
  });

  it('is answered by a new turn of the agent that asked, which is told what was answered', () => {
    const bench = left();
    const published = bench.answer('q1');
    expect(feKinds(published)).toEqual([
      'EVENT:INTERACTION_RESOLVED',
      'EVENT:TURN_ACCEPTED',
      'USER_INPUT:INPUT',
      'EVENT:TURN_DISPATCHED',
    ]);
    expect(only(published, 'EVENT', 'INTERACTION_RESOLVED').payload).toEqual({
      interaction_id: 'q1',
      outcome: 'answered',
      answer: { action_id: 'yes', values: {} },
      answered_by: 'owner',
    });
    const [input, sent] = published.filter((message) => message.event === 'USER_INPUT');
    expect(input?.payload).toMatchObject({
      input: { text: null },
      event: {
        event_type: 'interaction.submitted',
        data: { interaction_id: 'q1', action_id: 'yes', values: {}, request_kind: 'confirmation' },
      },
    });
    expect(sent).toMatchObject({ target: 'AGENT', target_id: 'a', requested_by: 'owner' });
    expect(bench.turn).toMatchObject({ target_agent_id: 'a', input_seq: sent?.payload_of });
    expect(bench.context.questions).toEqual([]);
  });

  it('is answered where it was asked, with no more rights than the turn that asked it had (case 75)', () => {
    const bench = SessionBench.open();
    bench.event({ conversation: { thread_id: 'x', bot_id: 'b' }, binding_id: 'chat' }, 't');
    bench.ask('q1');
    bench.final();
    const [input] = bench.answer('q1').filter((message) => message.event === 'USER_INPUT');
    const place = { thread_id: 'x', bot_id: 'b' };
    expect(input?.payload).toMatchObject({ event: { conversation: place, binding_id: 'chat' } });
    expect(bench.turn).toMatchObject({ conversation: place, binding_id: 'chat' });
  });

  it('goes to the agent that asked though another is active now', () => {
    const bench = left();
    bench.control('SWITCH_AGENT', { agent_id: 'b' });
    bench.answer('q1');
    expect(bench.turn.target_agent_id).toBe('a');
    expect(bench.context.active_agent_id).toBe('b');
  });

  it('is answered in the queue while another turn runs', () => {
    const bench = left();
    bench.say('more', { turn_id: 'u' });
    const published = bench.answer('q1');
    expect(only(published, 'EVENT', 'TURN_ACCEPTED').payload.state).toBe('queued');
    bench.ack();
    expect(kinds(bench.final())).toContain('USER_INPUT:INPUT');
    expect(bench.turn).toMatchObject({ target_agent_id: 'a', input_seq: expect.any(Number) });
  });

  it('stays open when the queue has no room for its answer', () => {
    const bench = left();
    for (let index = 0; index <= limits.queue; index += 1) bench.say('more', { turn_id: `u${index}` });
    expect(refusalOf(bench.answer('q1')).reason).toBe('QUEUE_FULL');
    expect(bench.context.questions).toHaveLength(1);
  });

  it('is answered once', () => {
    const bench = left();
    bench.answer('q1');
    expect(refusalOf(bench.answer('q1')).reason).toBe('INTERACTION_NOT_OPEN');
  });

  it('expires, and no turn comes of it', () => {
    const bench = left();
    const published = bench.advance(1_800_000);
    expect(kinds(published)).toEqual(['EVENT:INTERACTION_RESOLVED']);
    expect(only(published, 'EVENT', 'INTERACTION_RESOLVED').payload.outcome).toBe('expired');
    expect(deadlines(bench.context)).toEqual([]);
  });

  it('ends with its agent', () => {
    const bench = left();
    const published = bench.control('REMOVE_AGENT', { agent_id: 'a' });
    expect(only(published, 'EVENT', 'INTERACTION_RESOLVED').payload.outcome).toBe('run_ended');
    expect(bench.context.questions).toEqual([]);
  });

  it('outlives other agents', () => {
    const bench = left();
    bench.control('REMOVE_AGENT', { agent_id: 'b' });
    expect(bench.context.questions).toHaveLength(1);
  });

  it('ends with its session', () => {
    const bench = left();
    const published = bench.control('SESSION_CLOSE', {});
    expect(only(published, 'EVENT', 'INTERACTION_RESOLVED').payload.outcome).toBe('run_ended');
    expect(bench.context.questions).toEqual([]);
  });

  it('counts among the questions that a session may have open', () => {
    const bench = left();
    bench.say('more', { turn_id: 'u' });
    for (let index = 1; index < limits.interactions; index += 1) bench.ask(`r${index}`);
    expect(only(bench.ask('one too many'), 'CONTROL', 'INTERACTION_EXPIRED').payload).toEqual({
      interaction_id: 'one too many',
      refused: true,
    });
  });

  it('is owed to a new owner until it is resolved, so that it expires there', () => {
    const bench = SessionBench.open();
    bench.say('hi', { turn_id: 't' });
    const [opened] = bench.ask('q1').filter((message) => message.subtype === 'INTERACTION_OPENED');
    if (opened === undefined) throw new Error('nothing was opened');
    const owed = owes(bench.context, opened);
    bench.final();
    expect(owed !== null && isSettled(bench.context, owed)).toBe(false);
    bench.advance(1_800_000);
    expect(owed !== null && isSettled(bench.context, owed)).toBe(true);
  });

  it('survives the host that asked it', () => {
    const bench = left();
    bench.recover();
    expect(bench.context.questions).toHaveLength(1);
    expect(kinds(bench.answer('q1'))).toContain('EVENT:TURN_ACCEPTED');
  });
});

describe('what was asked for the sake of the run', () => {
  it.each(['approval', 'budget'] as const)('ends with it, however it ends: %s', (purpose) => {
    const bench = SessionBench.open();
    bench.say('hi', { turn_id: 't' });
    bench.ask('q1', 60_000, purpose);
    expect(only(bench.final(), 'EVENT', 'INTERACTION_RESOLVED').payload.outcome).toBe('run_ended');
    expect(bench.context.questions).toEqual([]);
  });
});
