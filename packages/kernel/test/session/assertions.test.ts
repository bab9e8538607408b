import { assertStep, InvariantError } from '@rostra/kernel/session/assertions';
import type { SessionContext, Turn } from '@rostra/kernel/session/context';
import { describe, expect, it } from 'vitest';
import { SessionBench } from './session-bench.ts';

function speaking(): SessionBench {
  const bench = SessionBench.open({ agents: ['a', 'b'] });
  bench.say('hi', { turn_id: 't' });
  bench.chunk('x');
  bench.say('next', { turn_id: 'q' });
  return bench;
}

function withTurn(context: SessionContext, turn_id: string, change: Partial<Turn>): SessionContext {
  const turn = context.inflight[turn_id];
  if (turn === undefined) throw new Error(`no turn ${turn_id}`);
  return { ...context, inflight: { ...context.inflight, [turn_id]: { ...turn, ...change } } };
}

function without<T>(record: Record<string, T>, key: string): Record<string, T> {
  const { [key]: _gone, ...rest } = record;
  return rest;
}

/** What a step with a bug might have made of a good context, and the invariant that says so. */
const broken: [what: string, invariant: string, damage: (context: SessionContext) => SessionContext][] = [
  ['the wrong agent speaks', 'S2', (context) => ({ ...context, speaking_agent_id: 'b' })],
  ['nobody speaks although a turn does', 'S2', (context) => ({ ...context, speaking_agent_id: null })],
  ['somebody speaks although no turn does', 'S2', (context) => withTurn(context, 't', { first_output_at: null })],
  [
    'who speaks is no member',
    'S3',
    (context) => ({ ...context, active_agent_id: null, agents_in_session: without(context.agents_in_session, 'a') }),
  ],
  ['two turns are dispatched', 'S4', (context) => withTurn(context, 'q', { run_id: 'q.1' })],
  ['a stranger is active', 'A1', (context) => ({ ...context, active_agent_id: 'nobody' })],
  [
    'an agent that leaves is active',
    'A1',
    (context) => {
      const { a } = context.agents_in_session;
      if (a === undefined) throw new Error('no agent a');
      return { ...context, agents_in_session: { ...context.agents_in_session, a: { ...a, st: 'REMOVING' } } };
    },
  ],
  ['a turn runs without a run', 'T4', (context) => withTurn(context, 'q', { status: 'RUNNING' })],
  ['a turn has another agent than before', 'T6', (context) => withTurn(context, 'q', { target_agent_id: 'b' })],
  ['a turn that ended is in the queue', 'T9', (context) => ({ ...context, inflight: without(context.inflight, 'q') })],
];

describe('the assertions that run in production', () => {
  it.each(broken)('find that %s (%s)', (_what, invariant, damage) => {
    const { context } = speaking();
    expect(() => assertStep(context, damage(context))).toThrow(
      expect.objectContaining({ name: 'InvariantError', invariant }),
    );
  });

  it('find that a turn went back to ROUTING (T4)', () => {
    const { context } = speaking();
    const damaged = { ...withTurn(context, 't', { status: 'ROUTING' }), speaking_agent_id: null };
    expect(() => assertStep(context, damaged)).toThrow('T4');
  });

  it('find that a turn ended while it was being cancelled (T9), or left its interruption behind (S5)', () => {
    const bench = speaking();
    bench.cancel();
    const { context } = bench;
    const ended = { ...context, speaking_agent_id: null, inflight: without(context.inflight, 't') };
    expect(() => assertStep(context, ended)).toThrow('T9');
    expect(() => assertStep(context, { ...ended, transactions: {} })).toThrow('S5');
  });

  it('find nothing in a step that had no effect, whatever the context is', () => {
    const { context } = speaking();
    const damaged = { ...context, speaking_agent_id: 'b' };
    expect(() => assertStep(damaged, damaged)).not.toThrow();
  });

  it('name the invariant in a way that a log can be searched for', () => {
    const error = new InvariantError('S2', 'somebody speaks');
    expect(error).toMatchObject({ invariant: 'S2', message: 'S2: somebody speaks' });
  });
});
