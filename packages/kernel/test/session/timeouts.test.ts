import { deadlines } from '@rostra/kernel/session/deadlines';
import { timeouts } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { feKinds, kinds, SessionBench } from './session-bench.ts';

interface Row {
  name: string;
  /** From the last message of `arrange` to the expiry. */
  after: number;
  /** The kind that tells of the expiry. */
  tells: string;
  arrange(): SessionBench;
}

function dispatched(): SessionBench {
  const bench = SessionBench.open({ agents: ['a', 'b', 'c'] });
  bench.say();
  return bench;
}

function running(): SessionBench {
  const bench = dispatched();
  bench.ack();
  return bench;
}

/** Signs of life keep T_idle away, so that T_turn is what ends the turn; it began with the dispatch. */
function longRunning(): SessionBench {
  const bench = dispatched();
  bench.callStarted();
  return bench;
}

function with_(bench: SessionBench, act: (bench: SessionBench) => unknown): SessionBench {
  act(bench);
  return bench;
}

const rows: Row[] = [
  { name: 'T_ack', after: timeouts.ack, tells: 'ERROR:ROUTE_TIMEOUT', arrange: dispatched },
  {
    name: 'T_cancel',
    after: timeouts.cancel,
    tells: 'ERROR:CANCEL_TIMEOUT',
    arrange: () => with_(running(), (bench) => bench.cancel()),
  },
  { name: 'T_idle', after: timeouts.idle, tells: 'EVENT:TURN_FAILED', arrange: running },
  { name: 'T_turn', after: timeouts.turn, tells: 'EVENT:TURN_FAILED', arrange: longRunning },
  {
    name: 'T_add',
    after: timeouts.add,
    tells: 'ERROR:ADD_AGENT_FAILED',
    arrange: () => with_(SessionBench.open(), (bench) => bench.control('INVITE_AGENT', { agent_id: 'c' })),
  },
  {
    name: 'T_remove',
    after: timeouts.remove,
    tells: 'ERROR:REMOVE_AGENT_FAILED',
    arrange: () => with_(SessionBench.open(), (bench) => bench.control('REMOVE_AGENT', { agent_id: 'b' })),
  },
  {
    name: 'T_open',
    after: timeouts.open,
    tells: 'ERROR:SESSION_FAILED',
    arrange: () => with_(new SessionBench(), (bench) => bench.openSession()),
  },
  {
    name: 'T_close',
    after: timeouts.close,
    tells: 'ERROR:SESSION_FAILED',
    arrange: () => with_(SessionBench.open(), (bench) => bench.control('SESSION_CLOSE', {})),
  },
  {
    name: 'T_handover',
    after: timeouts.handover,
    tells: 'CONTROL:HANDOVER_RESOLVED',
    arrange: () => with_(longRunning(), (bench) => bench.askHandover('b')),
  },
  {
    name: 'T_queue',
    after: timeouts.queue,
    tells: 'EVENT:TURN_FAILED',
    arrange: () => with_(longRunning(), (bench) => bench.say('later')),
  },
  {
    name: 'the expiry of an interaction',
    after: timeouts.interaction,
    tells: 'EVENT:INTERACTION_RESOLVED',
    arrange: () => with_(running(), (bench) => bench.ask('q')),
  },
  {
    name: 'the expiry that an interaction asks for',
    after: 1_234,
    tells: 'EVENT:INTERACTION_RESOLVED',
    arrange: () => with_(running(), (bench) => bench.ask('q', 1_234)),
  },
];

describe.each(rows)('$name', ({ after, tells, arrange }) => {
  it('is armed for its instant and not a millisecond earlier', () => {
    const bench = arrange();
    expect(bench.advance(after - 1)).toEqual([]);
    expect(deadlines(bench.context).map((deadline) => deadline.at)).toContain(bench.now + 1);
  });

  it('fires at its instant', () => {
    expect(feKinds(arrange().advance(after))).toContain(tells);
  });

  it('fires when it is noticed a millisecond late', () => {
    const bench = arrange();
    const at = bench.now + after;
    const due = deadlines(bench.context).find((deadline) => deadline.at === at);
    if (due === undefined) throw new Error('it is not armed');
    bench.now = at + 1;
    expect(feKinds(bench.fire(due))).toContain(tells);
  });

  it('has no effect when its message comes a millisecond early, or with a generation that is not armed', () => {
    const bench = arrange();
    const at = bench.now + after;
    const due = deadlines(bench.context).find((deadline) => deadline.at === at);
    if (due === undefined) throw new Error('it is not armed');
    const before = bench.context;
    bench.now = at - 1;
    bench.fire(due);
    bench.now = at;
    bench.fire({ ...due, gen: due.gen + 100 });
    bench.fire({ ...due, gen: due.gen - 1 });
    expect(bench.context).toBe(before);
  });

  it('fires once: the same message again has no effect', () => {
    const bench = arrange();
    bench.now += after;
    const due = deadlines(bench.context).find((deadline) => deadline.at === bench.now);
    if (due === undefined) throw new Error('it is not armed');
    bench.fire(due);
    expect(bench.fire(due)).toEqual([]);
  });
});

describe('the clocks of a turn', () => {
  it('are TIMER messages, so that they stand in the log like any other (SR-D7)', () => {
    const bench = dispatched();
    bench.advance(timeouts.ack);
    expect(bench.inputs.at(-1)).toMatchObject({ event: 'TIMER', subtype: 'INPUT_ACK', sender: { kind: 'driver' } });
  });

  it('end a silent turn at T_idle and an endless one at T_turn (SR-D18)', () => {
    const silent = running();
    const idle = silent.advance(timeouts.idle);
    expect(kinds(idle)).toEqual(['CONTROL:CANCEL', 'CONTROL:REQUEST_TERMINATE_RUN', 'EVENT:TURN_FAILED']);
    expect(idle.at(-1)?.payload).toMatchObject({ code: 'deadline_exceeded', retryable: true });

    const endless = running();
    for (let minute = 0; minute < 29; minute += 1) {
      endless.advance(59_999);
      endless.alive();
    }
    const late = endless.advance(timeouts.turn);
    expect(late.at(-1)?.payload).toMatchObject({ code: 'deadline_exceeded' });
  });

  it('keep T_idle away for every sign of life: an output, an acknowledgement, RUN_ALIVE', () => {
    const bench = running();
    for (const sign of [() => bench.chunk('x'), () => bench.alive(), () => bench.message('y')]) {
      bench.advance(timeouts.idle - 1);
      sign();
    }
    expect(bench.turn.status).toBe('RUNNING');
    expect(bench.deadline('IDLE').at).toBe(bench.now + timeouts.idle);
  });

  it('have no T_idle while a tool call is open, and have it again when the last one is done', () => {
    const bench = running();
    bench.callStarted('c1');
    bench.callStarted('c2');
    bench.advance(timeouts.idle);
    bench.callCompleted('c1');
    expect(deadlines(bench.context).map(({ kind }) => kind)).toEqual(['TURN']);
    bench.callCompleted('c2');
    expect(bench.deadline('IDLE').at).toBe(bench.now + timeouts.idle);
  });

  it('are all disarmed when the turn ends (SR-INV-T9)', () => {
    const bench = running();
    bench.ask('q', undefined, 'approval');
    bench.final();
    expect(deadlines(bench.context)).toEqual([]);
  });

  it('follow the settings that the session was created with', () => {
    const bench = SessionBench.open({ timeouts: { ack: 100 } });
    bench.say();
    expect(bench.advance(99)).toEqual([]);
    expect(kinds(bench.advance(1))).toContain('ERROR:ROUTE_TIMEOUT');
  });

  it('fire in the order of their instants, ties in the order in which they are named', () => {
    const bench = SessionBench.open({ timeouts: { queue: 1_000, ack: 1_000 } });
    bench.say('one', { turn_id: 't1' });
    bench.say('two', { turn_id: 't2' });
    const failed = bench.advance(1_000).filter((out) => out.subtype === 'TURN_FAILED');
    expect(failed.map((out) => out.turn_id)).toEqual(['t1']);
    expect(bench.turn.turn_id).toBe('t2');
  });
});
