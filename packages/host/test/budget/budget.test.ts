import type { AgentLimits } from '@rostra/protocol/config/budget-config';
import type { PayloadOf } from '@rostra/protocol/session/message';
import { timeouts } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { BudgetKeeper } from '../../src/budget/budget-keeper.ts';
import type { ActiveRun } from '../../src/orchestrator/run-charter.ts';
import { activeRun } from '../proxy/gate-bench.ts';
import { hold, SessionWorld, told } from '../proxy/session-world.ts';

const MINUTE = 60_000;
const limited = (limits: Partial<AgentLimits>) =>
  new SessionWorld({ binding: { limits: { run: {}, day: {}, ...limits } } });

/** The runner says that it has used so many tokens so far. */
const uses = (tokens: number) => ({
  results: [['message.delta', { chunk: { content: '.' }, usage: { input_tokens: tokens, output_tokens: 0 } }]],
});
/** It says so when nobody can be asked any more. */
const endsWith = (tokens: number) => [
  { results: [['run.completed', { usage: { input_tokens: tokens, output_tokens: 0 } }]] },
  { answer: true },
];
const calls = (count: number) => ({
  results: Array.from({ length: count }, (_, n) => ['tool.call.started', { tool_call_id: `c${n}`, tool_name: 'look' }]),
});
const look = { call: 'runs.list' };

function notices(w: SessionWorld): PayloadOf<'EVENT', 'BUDGET_NOTICE'>[] {
  return w.log.flatMap((record) =>
    record.subtype === 'BUDGET_NOTICE' && record.event === 'EVENT' ? [record.payload] : [],
  );
}

/** The question about the budget, once it is open. */
async function asked(w: SessionWorld, count = 1) {
  return w.until(async () => {
    const open = w.log.filter(({ subtype }) => subtype === 'INTERACTION_OPENED');
    const record = open[count - 1];
    return record?.subtype === 'INTERACTION_OPENED' ? record.payload : null;
  });
}

async function answer(w: SessionWorld, interaction_id: string, action_id: string): Promise<void> {
  const principal = { workspace_id: 'w', user_id: 'u' };
  const ok = await w.gateway.answer({
    session_id: 's',
    principal,
    interaction_id,
    purpose: 'budget',
    answer: { action_id, values: {} },
  });
  expect(ok).toBe(true);
}

describe('a run with a limit', () => {
  it('is told of at 80 %, once, and goes on', async () => {
    const w = limited({ run: { tokens: 1000 } });
    w.follow();
    const turn = await w.say([uses(799), uses(800), uses(900), look, ...told]);
    const [reply] = await w.replies(turn);
    expect(reply?.error).toBeUndefined();
    expect(notices(w)).toEqual([
      { agent_id: 'guide', run_id: `${turn}.1`, limit: 'tokens', period: 'run', used: 800, of: 1000 },
    ]);
    expect((await w.run(turn)).status).toBe('completed');
  });

  it('asks at 100 %, gets nothing meanwhile, and goes on with the same amount again', async () => {
    const w = limited({ run: { tokens: 1000 } });
    w.follow();
    const turn = await w.say([uses(1000), { retry: look }, uses(1999), look, ...told]);
    const { interaction_id, purpose, request } = await asked(w);
    expect(purpose).toBe('budget');
    expect(request).toMatchObject({
      kind: 'choice',
      body: 'It has used 1000 of 1000 tokens in this run.',
      actions: [{ id: 'once_more' }, { id: 'stop' }],
    });
    expect(await w.run(turn, ({ status }) => status === 'interrupted')).toMatchObject({ ended_at: null });
    await answer(w, interaction_id, 'once_more');
    const [refused, ...served] = await w.replies(turn);
    expect(refused?.error).toMatchObject({
      code: 'rate_limited',
      retryable: true,
      details: { reason: 'budget_exceeded' },
    });
    expect(served.map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(notices(w)).toMatchObject([{ used: 1999, of: 2000 }]);
    expect((await w.run(turn)).status).toBe('completed');
    expect(w.audit[0]).toMatchObject({ result: 'rate_limited', details: { reason: 'budget_exceeded' } });
  });

  it.each(['stop', 'nothing'])('without leave (%s) ends budget_exceeded', async (how) => {
    const w = limited({ run: { tokens: 1000 } });
    w.follow();
    const turn = await w.say([uses(1200), { retry: look }]);
    const { interaction_id } = await asked(w);
    if (how === 'stop') await answer(w, interaction_id, 'stop');
    else w.clock.advance(timeouts.interaction);
    expect(await w.run(turn)).toMatchObject({ status: 'failed', code: 'budget_exceeded' });
    const failed = w.log.find(({ subtype }) => subtype === 'TURN_FAILED');
    expect(failed?.payload).toMatchObject({ message: 'The agent has used up its budget: tokens in one run.' });
    expect((await w.run(turn)).usage).toEqual({ input_tokens: 1200, output_tokens: 0 });
  });

  it('asks about tool calls, and about cost by the price table', async () => {
    const w = limited({ run: { tool_calls: 3, cost: 0.002 } });
    w.follow();
    const turn = await w.say([calls(3), { retry: look }, uses(2000), { retry: look }]);
    const first = await asked(w);
    expect(first.request).toMatchObject({ body: 'It has used 3 of 3 tool calls in this run.' });
    await answer(w, first.interaction_id, 'once_more');
    const second = await asked(w, 2);
    expect(second.request).toMatchObject({ body: 'It has used 0.002 of 0.002 of cost in this run.' });
    await answer(w, second.interaction_id, 'stop');
    expect(await w.run(turn)).toMatchObject({ code: 'budget_exceeded', tool_calls: 3 });
  });

  it('counts minutes at work, not those in which people are waited for', async () => {
    const w = limited({ run: { minutes: 10 } });
    w.follow();
    const turn = await w.say([hold, hold]);
    await w.held();
    w.clock.advance(8 * MINUTE);
    await w.until(async () => (notices(w).length > 0 ? true : null));
    expect(notices(w)).toMatchObject([{ limit: 'minutes', used: 8, of: 10 }]);
    w.clock.advance(2 * MINUTE);
    const first = await asked(w);
    w.clock.advance(20 * MINUTE);
    await answer(w, first.interaction_id, 'once_more');
    await w.run(turn, ({ status }) => status === 'running');
    w.clock.advance(8 * MINUTE);
    await w.until(async () => (notices(w).length > 1 ? true : null));
    w.clock.advance(2 * MINUTE - 1);
    expect(w.log.filter(({ subtype }) => subtype === 'INTERACTION_OPENED')).toHaveLength(1);
    w.clock.advance(1);
    const second = await asked(w, 2);
    expect(second.request).toMatchObject({ body: 'It has used 20 of 20 minutes in this run.' });
    await answer(w, second.interaction_id, 'stop');
    expect(await w.run(turn)).toMatchObject({ code: 'budget_exceeded', waited: 20 * MINUTE });
  });

  it('whose usage nobody reports exceeds nothing: unknown is not zero, nor too much', async () => {
    const w = limited({ run: { tokens: 1 }, day: { tokens: 1, cost: 0.000_001 } });
    w.follow();
    const turn = await w.say([look, ...told]);
    expect((await w.replies(turn))[0]?.error).toBeUndefined();
    expect((await w.run(turn)).usage).toBeNull();
    expect(w.log.filter(({ subtype }) => subtype === 'INTERACTION_OPENED')).toEqual([]);
  });
});

describe('a day with a limit', () => {
  it('is used by all runs of the agent; the next one asks before it gets anything, and a new day begins at zero', async () => {
    const w = limited({ day: { tokens: 1000 } });
    w.follow();
    await w.run(await w.say([uses(600), { end: true }]));
    await w.run(await w.say(endsWith(500)));
    const turn = await w.say([{ retry: hold }, look, ...told]);
    const { interaction_id, request } = await asked(w);
    expect(request).toMatchObject({ body: 'It has used 1100 of 1000 tokens today.' });
    await answer(w, interaction_id, 'stop');
    expect(await w.run(turn)).toMatchObject({ code: 'budget_exceeded' });
    w.clock.advance(24 * 60 * MINUTE);
    const [reply] = await w.replies(await w.say([look, ...told]));
    expect(reply?.error).toBeUndefined();
  });

  it('is read from the ledger by a host that was started again', async () => {
    const w = limited({ day: { tokens: 1000, tool_calls: 10 } });
    await w.run(await w.say([uses(850), calls(4), { end: true }]));
    const said: string[] = [];
    const keeper = new BudgetKeeper({
      clock: w.clock,
      runs: w.store.runs,
      prices: () => ({}),
      voice: {
        tell: (_run, subtype, payload) => said.push(`${subtype} ${JSON.stringify(payload)}`) > 0,
        fail: () => true,
      },
      desk: { ask: () => new Promise(() => undefined) },
      report: () => undefined,
    });
    const run = withLimits(activeRun('next.1'), { run: {}, day: { tokens: 1000, tool_calls: 10 } });
    const account = keeper.open(run);
    await w.until(async () => (said.length > 0 ? true : null));
    expect(said).toEqual(['BUDGET_NOTICE {"limit":"tokens","period":"day","used":850,"of":1000}']);
    account?.add({ usage: null, tool_calls: 4, handovers: 0 }, false);
    expect(said[1]).toBe('BUDGET_NOTICE {"limit":"tool_calls","period":"day","used":8,"of":10}');
  });

  it('is asked about once, however many runs of the agent are at work, and the answer holds for all', async () => {
    const { keeper, questions, failed } = counted();
    const limits = { run: {}, day: { handovers: 2 } };
    const runs = ['a', 'b', 'c'].map((id) => withLimits(activeRun(id), limits));
    const accounts = runs.map((run) => keeper.open(run));
    await Promise.resolve();
    accounts[0]?.add({ usage: null, tool_calls: 0, handovers: 2 }, false);
    accounts[1]?.add({ usage: null, tool_calls: 0, handovers: 0 }, false);
    accounts[2]?.add({ usage: null, tool_calls: 0, handovers: 0 }, false);
    expect(questions).toHaveLength(1);
    expect(() => keeper.enter(runs[1] as ActiveRun)).toThrow('a person is asked');
    questions[0]?.({ status: 'submitted', action: 'stop' });
    await settled();
    expect(failed).toEqual(['a', 'b', 'c']);
  });

  it('is asked about by another run when the one that asked is over', async () => {
    const { keeper, questions, failed } = counted();
    const limits = { run: {}, day: { handovers: 2 } };
    const [first, second] = ['a', 'b'].map((id) => activeRun(id));
    if (first === undefined || second === undefined) throw new Error('no runs');
    const one = keeper.open(withLimits(first, limits));
    const other = keeper.open(withLimits(second, limits));
    await settled();
    one?.add({ usage: null, tool_calls: 0, handovers: 2 }, false);
    other?.add({ usage: null, tool_calls: 0, handovers: 0 }, false);
    first.end();
    questions[0]?.({ status: 'cancelled', action: null });
    await settled();
    expect(questions).toHaveLength(2);
    questions[1]?.({ status: 'submitted', action: 'once_more' });
    await settled();
    expect(failed).toEqual([]);
  });
});

describe('an agent without limits', () => {
  it('has no account: nothing is done for its results', () => {
    const { keeper } = counted();
    const run = activeRun('free.1');
    expect(keeper.open(run)).toBeNull();
    expect(() => keeper.enter(run)).not.toThrow();
  });
});

function withLimits<R extends ActiveRun>(run: R, limits: AgentLimits): R {
  return { ...run, charter: { ...run.charter, binding: { ...run.charter.binding, limits } } };
}

type Outcome = { status: string; action: string | null };

/** A keeper whose questions the test answers. */
function counted() {
  const w = { now: () => 1_700_000_000_000, at: () => () => undefined };
  const questions: ((outcome: Outcome) => void)[] = [];
  const failed: string[] = [];
  const keeper = new BudgetKeeper({
    clock: w,
    runs: { endedSince: async () => ({ rows: [], next: null }) },
    prices: () => ({}),
    voice: { tell: () => true, fail: (run_id) => failed.push(run_id) > 0 },
    desk: { ask: () => new Promise((resolve) => questions.push(resolve)) },
    report: () => undefined,
  });
  return { keeper, questions, failed };
}

async function settled(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
}
