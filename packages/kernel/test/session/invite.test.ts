import { describe, expect, it } from 'vitest';
import { kinds, only, refusalOf, SessionBench } from './session-bench.ts';

const invite = (bench: SessionBench, agent_id: string, activate?: boolean) =>
  bench.control('INVITE_AGENT', { agent_id, ...(activate !== undefined && { activate }) });

describe('inviting an agent (rule E)', () => {
  it('asks the SessionManager and registers nobody yet', () => {
    const bench = SessionBench.open();
    const published = invite(bench, 'c');
    expect(kinds(published)).toEqual(['CONTROL:REQUEST_ADD_AGENT', 'EVENT:ADDING_AGENT']);
    expect(only(published, 'CONTROL', 'REQUEST_ADD_AGENT')).toMatchObject({
      target: 'SYSTEM',
      target_id: 'session_manager',
      tx_id: bench.tx('INVITE').tx_id,
    });
    expect(bench.context.agents_in_session.c).toBeUndefined();
  });

  it('registers the agent when it is done', () => {
    const bench = SessionBench.open();
    invite(bench, 'c');
    const published = bench.addDone();
    expect(kinds(published)).toEqual(['EVENT:AGENT_ADDED']);
    expect(only(published, 'EVENT', 'AGENT_ADDED').payload).toMatchObject({
      agent: { agent_id: 'c' },
      existing: false,
    });
    expect(bench.context.agents_in_session.c).toMatchObject({ st: 'IN' });
  });

  it.each([
    ['is told by ADD_AGENT_FAILED', (bench: SessionBench) => bench.addFailed()],
    ['gives up at T_add', (bench: SessionBench) => bench.advance(30_000)],
  ])('%s, with nobody registered (SR-D38)', (_case, end) => {
    const bench = SessionBench.open();
    invite(bench, 'c');
    const published = end(bench);
    expect(kinds(published)).toEqual(['ERROR:ADD_AGENT_FAILED']);
    expect(published[0]?.tx_id).toContain('INVITE');
    expect(Object.keys(bench.context.agents_in_session)).toEqual(['a', 'b']);
  });

  it('of somebody who is there answers at once without the SessionManager (SR-D38)', () => {
    const bench = SessionBench.open();
    const published = invite(bench, 'b');
    expect(kinds(published)).toEqual(['EVENT:AGENT_ADDED']);
    expect(only(published, 'EVENT', 'AGENT_ADDED').payload.existing).toBe(true);
  });

  it('does not change who is active, unless it says so or nobody is (SR-D39)', () => {
    const quiet = SessionBench.open();
    invite(quiet, 'c');
    quiet.addDone();
    expect(quiet.context.active_agent_id).toBe('a');

    const eager = SessionBench.open();
    invite(eager, 'c', true);
    eager.addDone();
    expect(eager.context.active_agent_id).toBe('c');

    const lonely = SessionBench.open({ agents: [] });
    invite(lonely, 'c');
    expect(only(lonely.addDone(), 'CONTROL', 'SWITCH_AGENT', 'BROADCAST').payload.reason).toBe('invite');
    expect(lonely.context.active_agent_id).toBe('c');
  });

  it('joins an invitation of the same agent that is pending, with its wish to be active', () => {
    const bench = SessionBench.open();
    invite(bench, 'c');
    for (let times = 0; times < 20; times += 1) expect(invite(bench, 'c')).toEqual([]);
    invite(bench, 'c', true);
    expect(Object.keys(bench.context.transactions)).toHaveLength(1);
    bench.addDone();
    expect(bench.context.active_agent_id).toBe('c');
  });

  it('is related to its receipt by tx_id and agent only (SR-D38)', () => {
    const bench = SessionBench.open();
    invite(bench, 'c');
    const tx = bench.tx('INVITE');
    expect(bench.receipt('ADD_AGENT_DONE', bench.member('c'), 'another')).toEqual([]);
    expect(bench.receipt('ADD_AGENT_DONE', bench.member('d'), tx.tx_id)).toEqual([]);
    expect(bench.receipt('REMOVE_AGENT_DONE', { agent_id: 'c', attempt: 1 }, tx.tx_id)).toEqual([]);
    expect(bench.tx('INVITE')).toBe(tx);
  });

  it('sends an agent back once that comes after it was given up', () => {
    const bench = SessionBench.open();
    invite(bench, 'c');
    const tx = bench.tx('INVITE');
    bench.advance(30_000);
    const published = bench.addDone(tx);
    expect(kinds(published)).toEqual(['CONTROL:REQUEST_REMOVE_AGENT']);
    expect(published[0]?.payload).toMatchObject({ agent_id: 'c', attempt: 1 });
    expect(bench.addDone(tx)).toEqual([]);
    expect(bench.context.agents_in_session.c).toBeUndefined();
  });

  it('does not send an agent back that was invited again meanwhile', () => {
    const bench = SessionBench.open();
    invite(bench, 'c');
    const late = bench.tx('INVITE');
    bench.advance(30_000);
    invite(bench, 'c');
    expect(kinds(bench.addDone(late))).toEqual([]);
    expect(kinds(bench.addDone())).toEqual(['EVENT:AGENT_ADDED']);
  });

  it('is refused while that agent is leaving, and outside an open session', () => {
    const bench = SessionBench.open();
    bench.control('REMOVE_AGENT', { agent_id: 'b' });
    expect(refusalOf(invite(bench, 'b')).reason).toBe('AGENT_REMOVING');
    expect(refusalOf(invite(new SessionBench(), 'c')).reason).toBe('SESSION_NOT_OPEN');
  });

  it('lets several turns wait for the same agent, and runs them in accept order', () => {
    const bench = SessionBench.open({ auto_invite: true });
    bench.say('one', { mention: 'c', turn_id: 't1' });
    bench.say('two', { mention: 'c', turn_id: 't2' });
    expect(bench.published.filter((out) => out.subtype === 'REQUEST_ADD_AGENT')).toHaveLength(1);
    bench.addDone();
    expect(bench.turn.turn_id).toBe('t1');
    expect(bench.context.queue).toEqual(['t2']);
  });
});

describe('an agent that was in the session before', () => {
  it('comes back with what it had: the request names it', () => {
    const bench = SessionBench.open({ policies: { b: { queue: 'replace', steering: true } } });
    bench.control('REMOVE_AGENT', { agent_id: 'b' });
    bench.removeDone();
    const request = only(bench.control('INVITE_AGENT', { agent_id: 'b' }), 'CONTROL', 'REQUEST_ADD_AGENT');
    expect(request.payload).toEqual({ agent_id: 'b', had: bench.member('b').policy });
  });

  it('is remembered over a close and a restart', () => {
    const bench = SessionBench.open({ policies: { b: { queue: 'replace' } } });
    bench.control('REMOVE_AGENT', { agent_id: 'b' });
    bench.removeDone();
    bench.control('SESSION_CLOSE', {});
    bench.closed();
    bench.recover();
    bench.openSession();
    bench.opened(['a']);
    const request = only(bench.control('INVITE_AGENT', { agent_id: 'b' }), 'CONTROL', 'REQUEST_ADD_AGENT');
    expect(request.payload.had?.queue).toBe('replace');
  });

  it('is invited with the wishes of the invitation', () => {
    const bench = SessionBench.open();
    const published = bench.control('INVITE_AGENT', { agent_id: 'c', preferences: { queue: 'reject' } });
    expect(only(published, 'CONTROL', 'REQUEST_ADD_AGENT').payload).toEqual({
      agent_id: 'c',
      preferences: { queue: 'reject' },
    });
  });
});
