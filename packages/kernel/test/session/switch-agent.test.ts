import { describe, expect, it } from 'vitest';
import { kinds, only, refusalOf, SessionBench } from './session-bench.ts';

const switchTo = (bench: SessionBench, agent_id: string, force?: boolean) =>
  bench.control('SWITCH_AGENT', { agent_id, ...(force !== undefined && { force }) });

describe('a switch that a frontend asks for (rule I)', () => {
  it('changes who is active in the same step (SR-D3)', () => {
    const bench = SessionBench.open();
    const published = switchTo(bench, 'b');
    expect(kinds(published)).toEqual(['CONTROL:SWITCH_AGENT', 'CONTROL:SWITCH_AGENT', 'EVENT:ACTIVE_AGENT_CHANGED']);
    expect(bench.context.active_agent_id).toBe('b');
  });

  it('is published to everybody, with a copy of the same id to frontends (SR-D2, SR-D5)', () => {
    const bench = SessionBench.open();
    const published = switchTo(bench, 'b');
    const broadcast = only(published, 'CONTROL', 'SWITCH_AGENT', 'BROADCAST');
    const copy = only(published, 'CONTROL', 'SWITCH_AGENT', 'FRONTEND');
    expect(copy).toEqual({ ...broadcast, target: 'FRONTEND' });
    expect(broadcast.payload).toEqual({ from: 'a', to: 'b', reason: 'request', trigger: bench.inputs.at(-1)?.id });
  });

  it('is not heard again when its echo comes back (SR-D2)', () => {
    const bench = SessionBench.open();
    for (const echo of switchTo(bench, 'b')) expect(bench.take(echo)).toEqual([]);
  });

  it('affects later inputs only; the running turn keeps its agent (SR-D3)', () => {
    const bench = SessionBench.open();
    bench.say('one', { turn_id: 't1' });
    switchTo(bench, 'b');
    expect(bench.turn).toMatchObject({ target_agent_id: 'a', cancel: null });
    bench.say('two', { turn_id: 't2' });
    bench.final();
    expect(bench.turn.target_agent_id).toBe('b');
  });

  it('also cancels the running turn when it is forced (SR-D3)', () => {
    const bench = SessionBench.open();
    bench.say();
    expect(kinds(switchTo(bench, 'b', true))).toContain('CONTROL:CANCEL');
    expect(bench.turn.cancel?.reason).toBe('switched');
  });

  it('is refused by force when the running turn may not be interrupted', () => {
    const bench = SessionBench.open({ policies: { a: { interruptible: false } } });
    bench.say();
    expect(refusalOf(switchTo(bench, 'b', true)).reason).toBe('NOT_INTERRUPTIBLE');
    expect(bench.context.active_agent_id).toBe('a');
  });

  it('to the active agent is a successful no-op (SR-D3)', () => {
    const bench = SessionBench.open();
    const before = bench.context;
    expect(switchTo(bench, 'a')).toEqual([]);
    expect(bench.context).toBe(before);
  });

  it('to an agent that is not there is refused (SR-D3)', () => {
    const bench = SessionBench.open();
    expect(refusalOf(switchTo(bench, 'c')).reason).toBe('AGENT_NOT_FOUND');
    expect(refusalOf(bench.control('SWITCH_AGENT', {})).reason).toBe('AGENT_NOT_FOUND');
    bench.say('x', { mention: 'b' });
    bench.control('REMOVE_AGENT', { agent_id: 'b' });
    expect(refusalOf(switchTo(bench, 'b')).reason).toBe('AGENT_NOT_FOUND');
    expect(refusalOf(switchTo(new SessionBench(), 'a')).reason).toBe('SESSION_NOT_OPEN');
  });

  it('chains: every switch begins where the last one ended, the first one with nobody', () => {
    const bench = SessionBench.open({ agents: ['a', 'b', 'c'] });
    switchTo(bench, 'b');
    bench.say('x', { mention: 'c' });
    bench.control('REMOVE_AGENT', { agent_id: 'c' });
    bench.control('SESSION_CLOSE', {});
    bench.cancelAck();
    bench.closed();
    const switches = bench.published.filter((out) => out.subtype === 'SWITCH_AGENT' && out.target === 'BROADCAST');
    const steps = switches.map((out) => out.payload as { from: string | null; to: string | null });
    expect(steps.map(({ from, to }) => [from, to])).toEqual([
      [null, 'a'],
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
      ['a', null],
    ]);
  });
});
