import { describe, expect, it } from 'vitest';
import { feKinds, kinds, only, owner, refusalOf, SessionBench } from './session-bench.ts';

const close = (bench: SessionBench) => bench.control('SESSION_CLOSE', {});

describe('opening a session (rule H)', () => {
  it('asks the SessionManager and is open when that answers', () => {
    const bench = new SessionBench();
    const request = bench.openSession({ agents: ['a', 'b'], active_agent_id: 'b' });
    expect(kinds(request)).toEqual(['CONTROL:REQUEST_SESSION_OPEN']);
    expect(request[0]).toMatchObject({
      target: 'SYSTEM',
      target_id: 'session_manager',
      payload: { agents: ['a', 'b'], active_agent_id: 'b' },
    });
    expect(bench.context.state).toBe('OPENING');
    const opened = bench.opened();
    expect(feKinds(opened)).toEqual(['EVENT:SESSION_OPENED', 'CONTROL:SWITCH_AGENT', 'EVENT:ACTIVE_AGENT_CHANGED']);
    expect(bench.context).toMatchObject({ state: 'OPEN', active_agent_id: 'a' });
  });

  it('falls back where the SessionManager names nobody or a stranger as active', () => {
    for (const active_agent_id of [null, 'stranger']) {
      const bench = new SessionBench({ default_agent_id: 'b' });
      bench.openSession();
      const payload = { agents: [bench.member('a'), bench.member('b')], active_agent_id };
      const opened = bench.receipt('SESSION_OPENED', payload, bench.tx('OPEN').tx_id);
      expect(only(opened, 'EVENT', 'SESSION_OPENED').payload.active_agent_id).toBe('b');
      expect(bench.context.active_agent_id).toBe('b');
    }
  });

  it('that is open or opening is idempotent (SR-D46)', () => {
    const bench = new SessionBench();
    bench.openSession();
    expect(bench.openSession()).toEqual([]);
    bench.opened();
    const again = bench.openSession();
    expect(kinds(again)).toEqual(['EVENT:SESSION_OPENED']);
    expect(only(again, 'EVENT', 'SESSION_OPENED').payload).toMatchObject({ existing: true, active_agent_id: 'a' });
  });

  it('accepts input while it opens, which waits with QUEUE and runs once it is open (SR-D47)', () => {
    const bench = new SessionBench({ default_agent_id: 'a' });
    bench.openSession();
    const published = bench.say('first', { turn_id: 't' });
    expect(only(published, 'EVENT', 'TURN_ACCEPTED').payload).toMatchObject({ state: 'queued', agent_id: 'a' });
    expect(bench.turnOf('t')?.waiting).toMatchObject([{ for: 'QUEUE' }]);
    expect(kinds(bench.opened())).toContain('USER_INPUT:INPUT');
    expect(bench.turn.turn_id).toBe('t');
  });

  it('expects the agent that the request makes active, else the first it names, else the default one', () => {
    const target = (payload: { agents?: string[]; active_agent_id?: string }) => {
      const bench = new SessionBench({ default_agent_id: 'd' });
      bench.openSession(payload);
      bench.say('first', { turn_id: 't' });
      return bench.turnOf('t')?.target_agent_id;
    };
    expect(target({ agents: ['a', 'b'], active_agent_id: 'b' })).toBe('b');
    expect(target({ agents: ['a', 'b'] })).toBe('a');
    expect(target({})).toBe('d');
  });

  it.each([
    ['is told by SESSION_FAILED', (bench: SessionBench) => bench.sessionFailed('OPEN')],
    ['gives up at T_open', (bench: SessionBench) => bench.advance(30_000)],
  ])('%s, and what waited is FAILED (SR-D47)', (_case, end) => {
    const bench = new SessionBench({ default_agent_id: 'a' });
    bench.openSession();
    bench.say('first', { turn_id: 't' });
    const published = end(bench);
    expect(kinds(published)).toEqual(['ERROR:SESSION_FAILED', 'EVENT:TURN_FAILED']);
    expect(only(published, 'EVENT', 'TURN_FAILED').payload.code).toBe('SESSION_FAILED');
    expect(bench.context).toMatchObject({ state: 'CLOSED', inflight: {}, transactions: {}, queue: [] });
  });

  it('is refused while the session closes', () => {
    const bench = SessionBench.open();
    close(bench);
    expect(refusalOf(bench.openSession()).reason).toBe('SESSION_CLOSING');
  });
});

describe('closing a session (rule H)', () => {
  it('that is idle asks the SessionManager at once and is closed when that answers', () => {
    const bench = SessionBench.open();
    expect(kinds(close(bench))).toEqual(['CONTROL:REQUEST_SESSION_CLOSE']);
    const published = bench.closed();
    expect(feKinds(published)).toEqual(['EVENT:SESSION_CLOSED', 'CONTROL:SWITCH_AGENT', 'EVENT:ACTIVE_AGENT_CHANGED']);
    expect(bench.context).toMatchObject({ state: 'CLOSED', active_agent_id: null, agents_in_session: {} });
  });

  it('cancels what runs and waits for it before it asks the SessionManager', () => {
    const bench = SessionBench.open();
    bench.say('one', { turn_id: 't1' });
    bench.chunk('a');
    bench.say('two', { turn_id: 't2' });
    const published = close(bench);
    expect(only(published, 'EVENT', 'CANCELED').turn_id).toBe('t2');
    expect(kinds(published)).not.toContain('CONTROL:REQUEST_SESSION_CLOSE');
    expect(kinds(bench.cancelAck())).toEqual(['EVENT:CANCELED', 'CONTROL:REQUEST_SESSION_CLOSE']);
  });

  it('waits at most T_cancel for what runs', () => {
    const bench = SessionBench.open();
    bench.say();
    close(bench);
    expect(kinds(bench.advance(5_000))).toContain('CONTROL:REQUEST_SESSION_CLOSE');
  });

  it('takes no input while it closes or when it is closed (SR-D46, SR-D47)', () => {
    const bench = SessionBench.open();
    close(bench);
    expect(refusalOf(bench.say())).toMatchObject({ reason: 'SESSION_CLOSING', code: 'invalid_argument' });
    bench.closed();
    expect(refusalOf(bench.say())).toMatchObject({ reason: 'SESSION_NOT_OPEN', code: 'invalid_argument' });
    bench.openSession();
    bench.opened();
    expect(kinds(bench.say())).toContain('USER_INPUT:INPUT');
  });

  it('ends pending invitations and removals', () => {
    const bench = SessionBench.open({ agents: ['a', 'b', 'c'] });
    bench.control('INVITE_AGENT', { agent_id: 'd' });
    bench.control('REMOVE_AGENT', { agent_id: 'b' });
    const published = close(bench);
    expect(kinds(published)).toEqual([
      'ERROR:ADD_AGENT_FAILED',
      'ERROR:REMOVE_AGENT_FAILED',
      'CONTROL:REQUEST_SESSION_CLOSE',
    ]);
    expect(Object.values(bench.context.transactions).map((tx) => tx.kind)).toEqual(['CLOSE']);
  });

  it('ends a removal that waited for the running turn', () => {
    const bench = SessionBench.open();
    bench.say();
    bench.control('REMOVE_AGENT', { agent_id: 'a' });
    close(bench);
    bench.cancelAck();
    bench.closed();
    expect(bench.context).toMatchObject({ state: 'CLOSED', transactions: {}, inflight: {} });
  });

  it.each([
    ['SESSION_FAILED', (bench: SessionBench) => bench.sessionFailed('CLOSE')],
    ['T_close', (bench: SessionBench) => bench.advance(30_000)],
  ])('that fails by %s leaves the session open with its agents', (_case, end) => {
    const bench = SessionBench.open();
    close(bench);
    expect(kinds(end(bench))).toEqual(['ERROR:SESSION_FAILED']);
    expect(bench.context).toMatchObject({ state: 'OPEN', active_agent_id: 'a', transactions: {} });
    expect(kinds(bench.say())).toContain('USER_INPUT:INPUT');
  });

  it('that is asked for twice happens once; of a closed session it is answered at once', () => {
    const bench = SessionBench.open();
    close(bench);
    expect(close(bench)).toEqual([]);
    bench.closed();
    expect(only(close(bench), 'EVENT', 'SESSION_CLOSED').payload.existing).toBe(true);
  });

  it('is refused while the session still opens', () => {
    const bench = new SessionBench();
    bench.openSession();
    expect(refusalOf(close(bench))).toMatchObject({ reason: 'SESSION_NOT_OPEN', retryable: true });
  });

  it('an answer to another transaction has no effect (SR-D46)', () => {
    const bench = SessionBench.open();
    close(bench);
    expect(bench.receipt('SESSION_CLOSED', {}, 'another')).toEqual([]);
    expect(bench.receipt('SESSION_OPENED', { agents: [], active_agent_id: null }, bench.tx('CLOSE').tx_id)).toEqual([]);
  });

  it.each(['INVITE_AGENT', 'REMOVE_AGENT', 'SESSION_CLOSE'] as const)('%s needs the owner (SR-D46)', (subtype) => {
    const bench = SessionBench.open();
    const sender = { ...owner, role: 'participant' as const };
    expect(bench.send('CONTROL', subtype, { agent_id: 'b' }, { sender })).toEqual([]);
  });
});
