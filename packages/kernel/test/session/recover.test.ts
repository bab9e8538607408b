import { describe, expect, it } from 'vitest';
import { driver, feKinds, kinds, only, SessionBench } from './session-bench.ts';

describe('recovery after a restart', () => {
  it('fails what ran as host.restarted and keeps what it said', () => {
    const bench = SessionBench.open();
    bench.say('hi', { turn_id: 't' });
    bench.chunk('half');
    const published = bench.recover();
    expect(kinds(published)).toEqual(['AGENT_OUTPUT:message.ended', 'EVENT:TURN_FAILED']);
    expect(only(published, 'EVENT', 'TURN_FAILED').payload).toMatchObject({ code: 'host.restarted', retryable: true });
    expect(bench.context.last_turn?.collected_output).toBe('half');
    expect(bench.context.speaking_agent_id).toBeNull();
  });

  it('ends a turn CANCELED whose cancel had been accepted', () => {
    const bench = SessionBench.open();
    bench.say();
    bench.cancel();
    const published = bench.recover();
    expect(only(published, 'EVENT', 'CANCELED').payload).toMatchObject({ forced: true, reason: 'user' });
    expect(bench.context.transactions).toEqual({});
  });

  it('dispatches what waits in the queue under the new epoch', () => {
    const bench = SessionBench.open();
    bench.say('one', { turn_id: 't1' });
    bench.say('two', { turn_id: 't2' });
    const published = bench.recover();
    expect(feKinds(published)).toEqual(['EVENT:TURN_FAILED', 'EVENT:TURN_DISPATCHED']);
    expect(only(published, 'USER_INPUT', 'INPUT')).toMatchObject({ turn_id: 't2', epoch: 2 });
    expect(kinds(bench.ack())).toEqual(['EVENT:AGENT_STARTED']);
  });

  it('lets transactions go on; their receipts carry the new epoch', () => {
    const bench = SessionBench.open();
    bench.control('INVITE_AGENT', { agent_id: 'c' });
    bench.recover();
    expect(kinds(bench.addDone())).toEqual(['EVENT:AGENT_ADDED']);
  });

  it('completes a handover that waited for the turn which the restart ended', () => {
    const bench = SessionBench.open();
    bench.say();
    bench.chunk('so far');
    bench.askHandover('b');
    bench.confirm();
    const published = bench.recover();
    expect(only(published, 'CONTROL', 'HANDOVER_CONTEXT').payload.output).toBe('so far');
  });

  it('goes on with a close that waited for the turn which the restart ended', () => {
    const bench = SessionBench.open();
    bench.say();
    bench.control('SESSION_CLOSE', {});
    expect(kinds(bench.recover())).toContain('CONTROL:REQUEST_SESSION_CLOSE');
  });

  it('does not hear what was sent under the earlier owner', () => {
    const bench = SessionBench.open();
    bench.say('one');
    const late = bench.numbered();
    bench.recover();
    expect(bench.send('AGENT_OUTPUT', 'final', {}, { ...late, epoch: 1 })).toEqual([]);
    expect(bench.send('AGENT_OUTPUT', 'final', {}, { ...late, epoch: 2 })).toEqual([]);
    bench.control('INVITE_AGENT', { agent_id: 'c' });
    const { tx_id } = bench.tx('INVITE');
    const sender = { kind: 'session_manager' as const, id: 'session_manager' };
    expect(bench.control('ADD_AGENT_DONE', bench.member('c'), { sender, tx_id, epoch: 1 })).toEqual([]);
  });

  it('has no effect for an epoch that is not newer', () => {
    const bench = SessionBench.open();
    bench.say();
    expect(bench.control('SESSION_RECOVERED', { epoch: 1 }, { sender: driver })).toEqual([]);
    expect(bench.turn.status).toBe('ROUTING');
  });

  it('creates a session once; nothing but its creation is heard before', () => {
    const bench = new SessionBench();
    const again = bench.inputs[0];
    expect(again && bench.take(again)).toEqual([]);
    expect(bench.context).toMatchObject({ workspace_id: 'workspace-1', owner_id: 'owner', epoch: 1, state: 'CLOSED' });
  });
});
