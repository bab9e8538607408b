import { isSettled, owes } from '@rostra/kernel/session/outbox';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { feKinds, kinds, only, SessionBench } from './session-bench.ts';

const resumable = { policies: { a: { resumable: true }, b: { resumable: true } } };

/** Agent a, which can be resumed, has said something. */
function speaking(): SessionBench {
  const bench = SessionBench.open(resumable);
  bench.say('hi', { turn_id: 't' });
  bench.ack();
  bench.chunk('one ', { message_id: 't.1.m1' });
  bench.chunk('two ', { message_id: 't.1.m1' });
  return bench;
}

describe('a turn whose runner can be resumed', () => {
  it('goes on after a restart as the next attempt at the same turn', () => {
    const bench = speaking();
    const { input_seq } = bench.turn;
    const published = bench.recover();
    expect(kinds(published)).toEqual(['EVENT:TURN_RESUMED', 'USER_INPUT:INPUT']);
    expect(only(published, 'EVENT', 'TURN_RESUMED').payload).toEqual({ agent_id: 'a', run_id: 't.2', attempt: 2 });
    expect(only(published, 'USER_INPUT', 'INPUT')).toMatchObject({
      turn_id: 't',
      run_id: 't.2',
      epoch: 2,
      payload_of: input_seq,
      payload: { resume: { attempt: 2, message_id: 't.1.m1', next_chunk: 2 } },
    });
  });

  it('goes on in the same message, and starts only once', () => {
    const bench = speaking();
    bench.recover();
    expect(bench.ack()).toEqual([]);
    expect(kinds(bench.chunk('three', { message_id: 't.1.m1' }))).toEqual(['AGENT_OUTPUT:chunk']);
    expect(feKinds(bench.final())).toEqual([
      'AGENT_OUTPUT:message.ended',
      'AGENT_OUTPUT:final',
      'EVENT:TURN_COMPLETED',
    ]);
    expect(bench.fe.filter((kind) => kind === 'EVENT:AGENT_STARTED')).toHaveLength(1);
    expect(bench.context.last_turn?.collected_output).toBe('one two three');
  });

  it('may begin to speak without an acknowledgement of the new attempt', () => {
    const bench = speaking();
    bench.recover();
    expect(kinds(bench.chunk('three', { message_id: 't.1.m1' }))).toEqual(['AGENT_OUTPUT:chunk']);
    expect(bench.turn.waiting).toEqual([]);
  });

  it('that was not acknowledged yet is sent as a new attempt and starts with its acknowledgement', () => {
    const bench = SessionBench.open(resumable);
    bench.say('hi', { turn_id: 't' });
    bench.recover();
    expect(bench.turn).toMatchObject({ status: 'ROUTING', run_id: 't.2', attempt: 2 });
    expect(kinds(bench.ack())).toEqual(['EVENT:AGENT_STARTED']);
  });

  it('is not touched by what an earlier attempt still says, in its own epoch or in the new one', () => {
    const bench = speaking();
    const late = bench.numbered();
    bench.recover();
    for (const epoch of [1, 2]) {
      expect(bench.send('AGENT_OUTPUT', 'final', {}, { ...late, epoch })).toEqual([]);
      const payload = { scope: 'runner', key: 'k', value: 1 };
      expect(bench.send('AGENT_OUTPUT', 'state.updated', payload, { ...late, epoch })).toEqual([]);
    }
    expect(bench.turn.run_id).toBe('t.2');
  });

  it('gets its input at most once per attempt: what is owed to the lost run is owed no more (SR-INV-T10)', () => {
    const bench = SessionBench.open(resumable);
    const input = only(bench.say('hi', { turn_id: 't' }), 'USER_INPUT', 'INPUT');
    const owed = owes(bench.context, input);
    if (owed === null) throw new Error('nothing is owed');
    expect(isSettled(bench.context, owed)).toBe(false);
    const again = only(bench.recover(), 'USER_INPUT', 'INPUT');
    expect(isSettled(bench.context, owed)).toBe(true);
    const next = owes(bench.context, again);
    expect(next !== null && isSettled(bench.context, next)).toBe(false);
    bench.ack();
    expect(next !== null && isSettled(bench.context, next)).toBe(true);
  });

  it('fails with ROUTE_TIMEOUT when nobody takes the new attempt', () => {
    const bench = speaking();
    bench.recover();
    expect(feKinds(bench.advance(30_000))).toEqual([
      'ERROR:ROUTE_TIMEOUT',
      'AGENT_OUTPUT:message.ended',
      'EVENT:TURN_FAILED',
    ]);
  });

  it('has the time back in which nobody drove the session, and not more', () => {
    const bench = speaking();
    const until = bench.turn.turn_until ?? 0;
    bench.now += 3_600_000;
    bench.recover();
    expect(bench.turn.turn_until).toBe(until + 3_600_000);
  });

  it('ends after five attempts: it may be what takes the host down', () => {
    const bench = speaking();
    for (let attempt = 2; attempt <= limits.turn_attempts; attempt += 1) {
      expect(kinds(bench.recover())).toContain('EVENT:TURN_RESUMED');
    }
    expect(only(bench.recover(), 'EVENT', 'TURN_FAILED').payload.code).toBe('host.restarted');
  });

  it('ends FAILED when a tool call was not answered: that may have had its effect', () => {
    const bench = speaking();
    bench.callStarted();
    expect(only(bench.recover(), 'EVENT', 'TURN_FAILED').payload.code).toBe('host.restarted');
  });

  it('ends CANCELED when its cancel had been accepted', () => {
    const bench = speaking();
    bench.cancel();
    expect(kinds(bench.recover())).toEqual(['EVENT:CANCELED']);
  });

  it('keeps its place before what is queued, which stays queued as long as before', () => {
    const bench = speaking();
    bench.say('next', { turn_id: 't2' });
    const until = bench.deadline('QUEUE').at;
    bench.now += 7_000;
    bench.recover();
    expect(bench.context.queue).toEqual(['t2']);
    expect(bench.deadline('QUEUE').at).toBe(until + 7_000);
  });

  it('lets the next attempt take again what the lost one had pulled', () => {
    const bench = SessionBench.open({ policies: { a: { resumable: true, steering: true } } });
    bench.say('hi', { turn_id: 't' });
    bench.ack();
    bench.say('more', { turn_id: 's' });
    bench.pull('s');
    bench.recover();
    expect(bench.turnOf('s')?.pulled).toBe(false);
    bench.pull('s');
    const ended = bench.final().filter(({ subtype }) => subtype === 'TURN_COMPLETED');
    expect(ended.map(({ turn_id }) => turn_id)).toEqual(['t', 's']);
  });

  it('that a handover made gets its context again', () => {
    const bench = SessionBench.open(resumable);
    bench.say('hi', { turn_id: 't' });
    bench.chunk('so far');
    bench.askHandover('b', 'the story');
    bench.confirm();
    const before = bench.seq;
    const handed = bench.cancelAck();
    const at = before + 2 + handed.findIndex((message) => message.subtype === 'HANDOVER_CONTEXT');
    const again = only(bench.recover(), 'CONTROL', 'HANDOVER_CONTEXT');
    expect(again).toMatchObject({ target_id: 'b', payload_of: at, payload: { resume: { attempt: 2 } } });
    expect(kinds(bench.ack())).toEqual(['EVENT:AGENT_STARTED']);
  });
});

describe('a turn that waits for a person at a restart', () => {
  function asking(): SessionBench {
    const bench = speaking();
    bench.ask('q', 60_000);
    return bench;
  }

  it('waits on, and the next attempt begins with the answer', () => {
    const bench = asking();
    expect(bench.recover()).toEqual([]);
    expect(bench.turn).toMatchObject({ is_lost: true, run_id: 't.2', status: 'RUNNING' });
    const published = bench.answer('q');
    expect(kinds(published)).toEqual(['EVENT:INTERACTION_RESOLVED', 'EVENT:TURN_RESUMED', 'USER_INPUT:INPUT']);
    expect(only(published, 'USER_INPUT', 'INPUT').payload.resume?.interaction_answer).toEqual({
      interaction_id: 'q',
      action_id: 'yes',
      values: {},
    });
    expect(bench.ack()).toEqual([]);
    expect(feKinds(bench.final())).toContain('EVENT:TURN_COMPLETED');
  });

  it('waits through several restarts', () => {
    const bench = asking();
    bench.recover();
    expect(bench.recover()).toEqual([]);
    expect(only(bench.answer('q'), 'EVENT', 'TURN_RESUMED').payload.attempt).toBe(2);
  });

  it('goes on without an answer when the question expires', () => {
    const bench = asking();
    bench.recover();
    const published = bench.advance(60_000);
    expect(only(published, 'USER_INPUT', 'INPUT').payload.resume?.interaction_answer).toMatchObject({
      interaction_id: 'q',
      action_id: null,
    });
  });

  it('is CANCELED at once: nobody runs who could acknowledge', () => {
    const bench = asking();
    bench.recover();
    expect(kinds(bench.cancel())).toEqual([
      'EVENT:INTERACTION_RESOLVED',
      'AGENT_OUTPUT:message.ended',
      'EVENT:CANCELED',
    ]);
  });

  it('goes on at once when it was asked whether it may use more: the next run is judged anew', () => {
    const bench = speaking();
    const { turn_until } = bench.turn;
    bench.ask('q', 60_000, 'budget');
    bench.now += 5_000;
    const published = bench.recover();
    expect(only(published, 'EVENT', 'INTERACTION_RESOLVED').payload.outcome).toBe('run_lost');
    expect(only(published, 'USER_INPUT', 'INPUT').payload.resume?.interaction_answer).toBeUndefined();
    expect(bench.turn).toMatchObject({ is_lost: false, paused_at: null, turn_until: (turn_until ?? 0) + 5_000 });
  });

  it('waits for its own question when it was asked for more as well', () => {
    const bench = asking();
    bench.ask('more', 60_000, 'budget');
    expect(kinds(bench.recover())).toEqual(['EVENT:INTERACTION_RESOLVED']);
    expect(bench.turn).toMatchObject({ is_lost: true, waiting: [{ interaction_id: 'q' }] });
    expect(kinds(bench.answer('q'))).toContain('EVENT:TURN_RESUMED');
  });

  it('closes its question as run_lost when its runner cannot be resumed', () => {
    const bench = SessionBench.open();
    bench.say();
    bench.ask('q');
    const published = bench.recover();
    expect(only(published, 'EVENT', 'INTERACTION_RESOLVED').payload.outcome).toBe('run_lost');
    expect(only(published, 'EVENT', 'TURN_FAILED').payload.code).toBe('host.restarted');
  });
});
