import { describe, expect, it } from 'vitest';
import { feKinds, kinds, only, refusalOf, SessionBench } from './session-bench.ts';

const remove = (bench: SessionBench, agent_id: string) => bench.control('REMOVE_AGENT', { agent_id });

describe('removing an agent (rule D)', () => {
  it('that does nothing unbinds it at once and asks the SessionManager', () => {
    const bench = SessionBench.open();
    const published = remove(bench, 'b');
    expect(kinds(published)).toEqual([
      'EVENT:AGENT_REMOVING',
      'EVENT:AGENT_REMOVED_LOCAL',
      'CONTROL:REQUEST_REMOVE_AGENT',
    ]);
    const request = only(published, 'CONTROL', 'REQUEST_REMOVE_AGENT');
    expect(request).toMatchObject({ target: 'SYSTEM', target_id: 'session_manager', session_id: 'thread-1' });
    expect(request.payload).toEqual({ agent_id: 'b', reason: 'user', attempt: 1 });
    expect(Object.keys(bench.context.agents_in_session)).toEqual(['a']);
  });

  it('ends with AGENT_REMOVED when the SessionManager is done', () => {
    const bench = SessionBench.open();
    remove(bench, 'b');
    expect(kinds(bench.removeDone())).toEqual(['EVENT:AGENT_REMOVED']);
    expect(bench.context.transactions).toEqual({});
  });

  it('that speaks cancels it first and asks the SessionManager only after its turn has ended', () => {
    const bench = SessionBench.open();
    bench.say();
    bench.chunk('a');
    expect(kinds(remove(bench, 'a'))).not.toContain('CONTROL:REQUEST_REMOVE_AGENT');
    expect(kinds(bench.cancelAck())).toEqual([
      'EVENT:CANCELED',
      'EVENT:AGENT_REMOVED_LOCAL',
      'CONTROL:REQUEST_REMOVE_AGENT',
    ]);
  });

  it('cancels its silent turn too, and fails what it has in the queue (SR-D34)', () => {
    const bench = SessionBench.open();
    bench.say('one', { turn_id: 't1' });
    bench.say('two', { turn_id: 't2' });
    bench.say('three', { turn_id: 't3', mention: 'b' });
    const published = remove(bench, 'a');
    expect(only(published, 'EVENT', 'TURN_FAILED')).toMatchObject({
      turn_id: 't2',
      payload: { code: 'AGENT_REMOVED' },
    });
    expect(bench.turnOf('t1')?.cancel).toMatchObject({ reason: 'agent removed' });
    bench.cancelAck();
    expect(bench.turn.turn_id).toBe('t3');
  });

  it('makes it unroutable at once and unbinds it with the request (SR-D35)', () => {
    const bench = SessionBench.open();
    bench.say();
    remove(bench, 'a');
    expect(bench.context.agents_in_session.a?.st).toBe('REMOVING');
    expect(refusalOf(bench.say('you', { mention: 'a' })).reason).toBe('AGENT_REMOVING');
    bench.cancelAck();
    expect(bench.context.agents_in_session.a).toBeUndefined();
  });

  it('is tried three times within T_remove and never rolled back (SR-D36)', () => {
    const bench = SessionBench.open();
    remove(bench, 'b');
    for (const attempt of [2, 3]) {
      const again = bench.removeFailed();
      expect(kinds(again)).toEqual(['EVENT:AGENT_REMOVING', 'CONTROL:REQUEST_REMOVE_AGENT']);
      expect(only(again, 'EVENT', 'AGENT_REMOVING').payload.attempt).toBe(attempt);
    }
    const last = bench.removeFailed();
    expect(kinds(last)).toEqual(['ERROR:REMOVE_AGENT_FAILED']);
    expect(Object.keys(bench.context.agents_in_session)).toEqual(['a']);
    bench.control('INVITE_AGENT', { agent_id: 'b' });
    bench.addDone();
    expect(bench.context.agents_in_session.b?.st).toBe('IN');
  });

  it('counts a failure of an earlier attempt only once', () => {
    const bench = SessionBench.open();
    remove(bench, 'b');
    const tx = bench.tx('REMOVE');
    bench.removeFailed(tx);
    expect(bench.removeFailed(tx)).toEqual([]);
    expect(bench.tx('REMOVE').attempt).toBe(2);
    expect(kinds(bench.removeDone(tx))).toEqual(['EVENT:AGENT_REMOVED']);
  });

  it.each([
    ['the default agent', 'c', 'c'],
    ['else the one that joined first', null, 'b'],
  ])('that was active makes %s active (SR-D37)', (_case, default_agent_id, to) => {
    const bench = SessionBench.open({ agents: ['a', 'b', 'c'], default_agent_id });
    const published = remove(bench, 'a');
    expect(only(published, 'CONTROL', 'SWITCH_AGENT', 'BROADCAST').payload).toMatchObject({
      from: 'a',
      to,
      reason: 'fallback',
    });
    expect(bench.context.active_agent_id).toBe(to);
  });

  it('the last agent leaves nobody active (SR-D37)', () => {
    const bench = SessionBench.open({ agents: ['a'] });
    remove(bench, 'a');
    expect(bench.context).toMatchObject({ active_agent_id: null, agents_in_session: {} });
  });

  it('joins a removal of the same agent that is pending', () => {
    const bench = SessionBench.open();
    remove(bench, 'b');
    expect(remove(bench, 'b')).toEqual([]);
    expect(Object.keys(bench.context.transactions)).toHaveLength(1);
  });

  it('is refused for who is not there, and outside an open session', () => {
    const bench = SessionBench.open();
    expect(refusalOf(remove(bench, 'c')).reason).toBe('AGENT_NOT_FOUND');
    expect(refusalOf(remove(bench, 'constructor')).reason).toBe('AGENT_NOT_FOUND');
    expect(refusalOf(remove(new SessionBench(), 'a')).reason).toBe('SESSION_NOT_OPEN');
  });

  it('fails at T_remove when the SessionManager never answers, with the agent out all the same', () => {
    const bench = SessionBench.open();
    remove(bench, 'b');
    expect(feKinds(bench.advance(30_000))).toEqual(['ERROR:REMOVE_AGENT_FAILED']);
    expect(bench.context).toMatchObject({ transactions: {} });
    expect(bench.context.agents_in_session.b).toBeUndefined();
  });
});
