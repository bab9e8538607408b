import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { report } from './message-samples.ts';
import { kinds, SessionBench } from './session-bench.ts';

const a = { sender: { kind: 'agent' as const, id: 'a' } };

describe('the report on a cancel', () => {
  it('is taken into the log, publishes nothing and changes no turn', () => {
    const bench = SessionBench.open();
    bench.say('hi', { turn_id: 't' });
    bench.cancel();
    bench.advance(5_000);
    const { inputs } = bench;
    const before = { count: inputs.length, inflight: bench.context.inflight, last: bench.context.last_turn };
    expect(bench.control('CANCEL_REPORT', report('t.1'), a)).toEqual([]);
    expect(inputs).toHaveLength(before.count + 1);
    expect(bench.context).toMatchObject({ inflight: before.inflight, last_turn: before.last });
  });

  it('is taken once, and only for a run that was told to stop', () => {
    const bench = SessionBench.open();
    bench.say('hi', { turn_id: 't' });
    const { inputs } = bench;
    const taken = () => {
      const before = inputs.length;
      bench.control('CANCEL_REPORT', report('t.1'), a);
      return inputs.length > before;
    };
    expect(taken()).toBe(false);
    bench.cancel();
    expect(taken()).toBe(true);
    expect(taken()).toBe(false);
  });

  it('is taken for a run that was given up without a cancel of a person, while the next turn runs', () => {
    const bench = SessionBench.open();
    bench.say('one', { turn_id: 't1' });
    bench.say('two', { turn_id: 't2' });
    expect(kinds(bench.advance(30_000))).toContain('CONTROL:CANCEL');
    const before = bench.inputs.length;
    bench.control('CANCEL_REPORT', report('t1.1'), a);
    expect(bench.inputs).toHaveLength(before + 1);
  });

  it('is expected for a bounded number of runs', () => {
    const bench = SessionBench.open();
    for (let turn = 0; turn < limits.unreported_cancels + 4; turn += 1) {
      bench.say('hi', { turn_id: `t${turn}` });
      bench.cancel();
      bench.cancelAck();
    }
    expect(bench.context.unreported).toHaveLength(limits.unreported_cancels);
  });
});
