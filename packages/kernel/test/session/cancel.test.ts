import { describe, expect, it } from 'vitest';
import { feKinds, kinds, only, refusalOf, SessionBench } from './session-bench.ts';

function speaking(options = {}): SessionBench {
  const bench = SessionBench.open(options);
  bench.say('hi', { turn_id: 't' });
  bench.chunk('a');
  return bench;
}

describe('cancel (rule C)', () => {
  it('asks the agent to stop, tells frontends, and waits for the acknowledgement', () => {
    const bench = speaking();
    const published = bench.cancel();
    expect(kinds(published)).toEqual(['AGENT_OUTPUT:message.ended', 'CONTROL:CANCEL', 'EVENT:CANCEL_SENT']);
    const toAgent = only(published, 'CONTROL', 'CANCEL');
    expect(toAgent).toMatchObject({ target: 'AGENT', target_id: 'a', turn_id: 't', trace_id: 't', run_id: 't.1' });
    expect(toAgent.tx_id).toBe(bench.tx('CANCEL').tx_id);
    expect(bench.turn.waiting).toMatchObject([{ for: 'CANCEL_ACK' }]);
  });

  it('ends with CANCELED when the agent acknowledges', () => {
    const bench = speaking();
    bench.cancel();
    const published = bench.cancelAck();
    expect(kinds(published)).toEqual(['EVENT:CANCELED']);
    expect(only(published, 'EVENT', 'CANCELED').payload).toMatchObject({ forced: false, reason: 'user' });
    expect(bench.context).toMatchObject({ speaking_agent_id: null, inflight: {}, transactions: {} });
  });

  it('answers NO_ACTIVE_SPEAKING when there is nothing to cancel', () => {
    expect(kinds(SessionBench.open().cancel())).toEqual(['EVENT:NO_ACTIVE_SPEAKING']);
    expect(kinds(SessionBench.open().cancel('constructor'))).toEqual(['EVENT:NO_ACTIVE_SPEAKING']);
  });

  it('works on a turn that has not said anything yet, in ROUTING too (SR-D26)', () => {
    const bench = SessionBench.open();
    bench.say();
    expect(kinds(bench.cancel())).toEqual(['CONTROL:CANCEL', 'EVENT:CANCEL_SENT']);
    expect(bench.ack()).toEqual([]);
    expect(kinds(bench.cancelAck())).toEqual(['EVENT:CANCELED']);
  });

  it('drops a queued turn at once (SR-D26)', () => {
    const bench = speaking();
    bench.say('later', { turn_id: 't2' });
    const published = bench.cancel('t2');
    expect(kinds(published)).toEqual(['EVENT:CANCELED']);
    expect(only(published, 'EVENT', 'CANCELED')).toMatchObject({ turn_id: 't2', payload: { run_id: null } });
    expect(bench.turn.turn_id).toBe('t');
    expect(bench.context.queue).toEqual([]);
  });

  it('is the same machine for INTERRUPT; the reason is kept (SR-D27)', () => {
    const bench = speaking();
    bench.control('INTERRUPT', { reason: 'changed my mind' });
    expect(only(bench.cancelAck(), 'EVENT', 'CANCELED').payload.reason).toBe('changed my mind');
  });

  it('without a turn id means the dispatched turn, with one that turn only (SR-D28)', () => {
    const bench = speaking();
    bench.say('later', { turn_id: 't2' });
    expect(kinds(bench.cancel('unknown'))).toEqual(['EVENT:NO_ACTIVE_SPEAKING']);
    bench.cancel();
    expect(bench.turnOf('t')?.cancel).not.toBeNull();
    expect(bench.turnOf('t2')?.cancel).toBeNull();
  });

  it('that is asked for twice sends the agent one CANCEL', () => {
    const bench = speaking();
    bench.cancel();
    expect(bench.cancel()).toEqual([]);
    expect(bench.published.filter((out) => out.subtype === 'CANCEL')).toHaveLength(1);
  });

  it('is forced at T_cancel, and the run is declared dead (SR-D29)', () => {
    const bench = speaking();
    bench.cancel();
    const published = bench.advance(5_000);
    expect(kinds(published)).toEqual(['ERROR:CANCEL_TIMEOUT', 'CONTROL:REQUEST_TERMINATE_RUN', 'EVENT:CANCELED']);
    expect(only(published, 'EVENT', 'CANCELED').payload.forced).toBe(true);
    expect(only(published, 'CONTROL', 'REQUEST_TERMINATE_RUN').payload.run_id).toBe('t.1');
  });

  it('takes STREAM_STOPPED of the agent for its acknowledgement (SR-D30)', () => {
    const bench = speaking();
    bench.cancel();
    const stranger = { ...bench.fromAgent(), sender: { kind: 'agent' as const, id: 'b' } };
    expect(bench.send('EVENT', 'STREAM_STOPPED', {}, stranger)).toEqual([]);
    expect(kinds(bench.send('EVENT', 'STREAM_STOPPED', {}, bench.fromAgent()))).toEqual(['EVENT:CANCELED']);
  });

  it('withholds what the agent still says, without losing count (SR-D31)', () => {
    const bench = speaking();
    bench.cancel();
    const before = bench.context;
    expect(bench.chunk('b')).toEqual([]);
    expect(bench.callStarted()).toEqual([]);
    expect(bench.message('c')).toEqual([]);
    expect(bench.context).not.toBe(before);
    expect(bench.turn).toMatchObject({ next_sequence: 4, collected_output: 'a' });
  });

  it.each(['final', 'fail'] as const)('takes a %s for the acknowledgement: the turn is CANCELED (SR-D32)', (last) => {
    const bench = speaking();
    bench.cancel();
    expect(kinds(bench[last]())).toEqual(['EVENT:CANCELED']);
    expect(bench.context.last_turn?.status).toBe('CANCELED');
  });

  it('is refused when the agent may not be interrupted; removal and close do not heed that (SR-D33)', () => {
    const options = { policies: { a: { interruptible: false } } };
    const bench = speaking(options);
    expect(bench.context.user_interruptible).toBe(false);
    expect(refusalOf(bench.cancel()).reason).toBe('NOT_INTERRUPTIBLE');
    bench.control('REMOVE_AGENT', { agent_id: 'a' });
    expect(bench.turn.cancel).not.toBeNull();

    const closing = speaking(options);
    closing.control('SESSION_CLOSE', {});
    expect(closing.turn.cancel).not.toBeNull();
  });

  it('an acknowledgement of a cancel that nobody asked for has no effect', () => {
    const bench = speaking();
    expect(bench.cancelAck()).toEqual([]);
  });

  it('lets the next turn in the queue begin', () => {
    const bench = speaking();
    bench.say('next', { turn_id: 't2' });
    bench.cancel();
    expect(bench.turn.turn_id).toBe('t');
    expect(feKinds(bench.cancelAck())).toEqual(['EVENT:CANCELED', 'EVENT:TURN_DISPATCHED']);
    expect(bench.turn.turn_id).toBe('t2');
  });
});
