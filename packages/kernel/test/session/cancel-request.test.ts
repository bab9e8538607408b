import { describe, expect, it } from 'vitest';
import { feKinds, kinds, only, SessionBench } from './session-bench.ts';

function running(policy: object = {}): SessionBench {
  const bench = SessionBench.open({ policies: { a: policy } });
  bench.say('go', { turn_id: 't' });
  bench.ack();
  return bench;
}

describe('a run that asks for its own end', () => {
  it('is cancelled like any other, in the name of its agent', () => {
    const bench = running();
    const published = bench.control('CANCEL_REQUEST', { run_id: 't.1', reason: 'enough' }, bench.fromAgent());
    expect(only(published, 'CONTROL', 'CANCEL')).toMatchObject({ target: 'AGENT', payload: { reason: 'enough' } });
    expect(bench.turn.cancel).toEqual({ reason: 'enough', requested_by: 'a' });
    expect(feKinds(bench.cancelAck())).toEqual(['EVENT:CANCELED']);
  });

  it('may do so although people may not interrupt it', () => {
    const bench = running({ interruptible: false });
    expect(kinds(bench.control('CANCEL_REQUEST', { run_id: 't.1' }, bench.fromAgent()))).toContain('CONTROL:CANCEL');
  });

  it('cannot name another run, and nobody else can ask in its name', () => {
    const bench = running();
    const before = bench.context;
    bench.control('CANCEL_REQUEST', { run_id: 'other.1' }, bench.fromAgent());
    bench.control('CANCEL_REQUEST', { run_id: 't.1' }, { ...bench.fromAgent(), sender: { kind: 'agent', id: 'b' } });
    bench.control('CANCEL_REQUEST', { run_id: 't.1' }, { ...bench.fromAgent(), run_id: 'other.1' });
    expect(bench.context).toBe(before);
  });

  it('twice is cancelled once', () => {
    const bench = running();
    bench.control('CANCEL_REQUEST', { run_id: 't.1' }, bench.fromAgent());
    const cancelling = bench.context;
    expect(bench.control('CANCEL_REQUEST', { run_id: 't.1' }, bench.fromAgent())).toEqual([]);
    expect(bench.context).toBe(cancelling);
  });
});

describe('a notice of the budget', () => {
  const notice = { limit: 'tokens', period: 'run', used: 80, of: 100 } as const;

  it('is shown to frontends, in order with what the run says', () => {
    const bench = running();
    bench.chunk('one');
    const published = bench.control('BUDGET_NOTICE', notice, bench.numbered());
    expect(only(published, 'EVENT', 'BUDGET_NOTICE')).toMatchObject({
      turn_id: 't',
      payload: { agent_id: 'a', run_id: 't.1', ...notice },
    });
    expect(feKinds(bench.chunk('two'))).toEqual(['AGENT_OUTPUT:chunk']);
  });

  it('that comes again, or of a run that is being cancelled, is not', () => {
    const bench = running();
    const first = bench.numbered();
    bench.control('BUDGET_NOTICE', notice, first);
    expect(bench.control('BUDGET_NOTICE', notice, first)).toEqual([]);
    bench.cancel();
    expect(bench.control('BUDGET_NOTICE', notice, bench.numbered())).toEqual([]);
  });
});
