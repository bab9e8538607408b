import { deadlines } from '@rostra/kernel/session/deadlines';
import { describe, expect, it } from 'vitest';
import { driver, feKinds, kinds, only, SessionBench } from './session-bench.ts';

function quarantine(bench: SessionBench) {
  return bench.control('SESSION_QUARANTINED', { poisoned: 3 }, { sender: driver });
}

describe('a session that is quarantined', () => {
  it('ends what runs and what waits FAILED, and its run is stopped', () => {
    const bench = SessionBench.open();
    bench.say('one', { turn_id: 't1' });
    bench.chunk('half');
    bench.say('two', { turn_id: 't2' });
    const published = quarantine(bench);
    expect(kinds(published)).toEqual([
      'CONTROL:CANCEL',
      'CONTROL:REQUEST_TERMINATE_RUN',
      'AGENT_OUTPUT:message.ended',
      'EVENT:TURN_FAILED',
      'EVENT:TURN_FAILED',
    ]);
    expect(bench.context.inflight).toEqual({});
  });

  it('ends a turn CANCELED whose cancel was accepted', () => {
    const bench = SessionBench.open();
    bench.say();
    bench.cancel();
    expect(only(quarantine(bench), 'EVENT', 'CANCELED').payload.forced).toBe(true);
  });

  it('ends what steered with the turn that it steered', () => {
    const bench = SessionBench.open({ policies: { a: { steering: true } } });
    bench.say('one', { turn_id: 't' });
    bench.ack();
    bench.say('more', { turn_id: 's' });
    bench.say('and more', { turn_id: 'r' });
    bench.pull('s');
    expect(feKinds(quarantine(bench))).toEqual(['EVENT:TURN_FAILED', 'EVENT:TURN_COMPLETED', 'EVENT:TURN_FAILED']);
  });

  it('has nothing pending and nothing armed afterwards', () => {
    const bench = SessionBench.open();
    bench.say();
    bench.askHandover('b');
    bench.control('INVITE_AGENT', { agent_id: 'c' });
    bench.control('REMOVE_AGENT', { agent_id: 'b' });
    expect(feKinds(quarantine(bench))).toContain('ERROR:ADD_AGENT_FAILED');
    expect(bench.context.transactions).toEqual({});
    expect(deadlines(bench.context)).toEqual([]);
  });

  it('has answered an open or a close that was under way', () => {
    const opening = new SessionBench();
    opening.openSession();
    expect(feKinds(quarantine(opening))).toEqual(['ERROR:SESSION_FAILED']);
    const closing = SessionBench.open();
    closing.control('SESSION_CLOSE', {});
    expect(feKinds(quarantine(closing))).toEqual(['ERROR:SESSION_FAILED']);
  });
});
