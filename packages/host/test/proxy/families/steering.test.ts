import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { hold, type Reply, SessionWorld, saidIn, told } from '../session-world.ts';

const pull = (params: object = {}) => ({ call: 'steering.pull', params });
const aside = [{ end: true }];
const turns = (reply: Reply | undefined) => reply?.result?.items.map(({ turn_id }) => turn_id);

/** A run that is at work, does these steps when it is released, and ends. */
async function steered(...steps: object[]) {
  const w = new SessionWorld({ steering: true });
  w.follow();
  const parent = await w.say([hold, ...steps, ...told]);
  await w.held();
  return { w, parent };
}

const dispatched = (w: SessionWorld) =>
  w.log.filter(({ subtype }) => subtype === 'TURN_DISPATCHED').map(({ turn_id }) => turn_id);

describe('an input during a run that can be steered', () => {
  it('starts no second run, waits for the first, and is in log and transcript (check 63)', async () => {
    const { w, parent } = await steered();
    const child = await w.say(aside);
    expect(w.orchestrator.stats()).toMatchObject({ live: 1, dispatched: 1 });
    expect(dispatched(w)).toEqual([parent]);
    const accepted = w.log.find(({ subtype, turn_id }) => subtype === 'TURN_ACCEPTED' && turn_id === child);
    expect(accepted?.payload).toMatchObject({ state: 'steering', parent_turn_id: parent });
    expect(w.log.filter(({ event, turn_id }) => event === 'USER_INPUT' && turn_id === child)).toHaveLength(1);
    const { rows } = await w.store.transcript.page('s', {});
    expect(rows.filter(({ turn_id }) => turn_id === child)).toMatchObject([{ role: 'user' }]);
    w.release();
    await w.run(child);
  });

  it('is given to the run in its order; one at a time leaves the rest (check 64)', async () => {
    const { w, parent } = await steered(
      pull({ mode: 'one-at-a-time' }),
      pull({ limit: 2 }),
      pull({ mode: 'all' }),
      pull(),
    );
    const children: string[] = [];
    for (let i = 0; i < 5; i += 1) children.push(await w.say(aside));
    w.release();
    const [, one, two, all, nothing] = await w.replies(parent);
    expect(turns(one)).toEqual(children.slice(0, 1));
    expect(turns(two)).toEqual(children.slice(1, 3));
    expect(turns(all)).toEqual(children.slice(3));
    expect(turns(nothing)).toEqual([]);
    expect(one?.result?.items).toEqual([
      {
        turn_id: children[0],
        event_id: children[0],
        input: { text: JSON.stringify(aside), contents: [], attachments: [], message_chain: null },
        received_at: Math.floor(w.clock.now() / 1000),
      },
    ]);
  });

  it('that was taken ends with the run, and the audit has it (check 66)', async () => {
    const { w, parent } = await steered(pull());
    const child = await w.say(aside);
    w.release();
    await w.run(parent);
    const ended = w.log.filter(({ subtype }) => subtype === 'TURN_COMPLETED');
    expect(ended.map(({ turn_id, payload }) => [turn_id, payload])).toMatchObject([
      [parent, {}],
      [child, { steered_into: parent, run_id: null }],
    ]);
    expect(dispatched(w)).toEqual([parent]);
    expect(w.audit.filter(({ action }) => action.startsWith('steering.'))).toMatchObject([
      { action: 'steering.injected', resource: child, run_id: `${parent}.1`, session_id: 's', actor: 'agent:guide' },
      { action: 'steering.pull', result: 'ok' },
    ]);
  });

  it('that was not taken runs as a turn of its own, in order, and the audit has it (check 66)', async () => {
    const { w, parent } = await steered(pull({ mode: 'one-at-a-time' }));
    const [taken, first, second] = [await w.say(aside), await w.say(aside), await w.say(aside)];
    w.release();
    await w.run(second);
    expect(dispatched(w)).toEqual([parent, first, second]);
    expect((await w.store.findTurn(taken))?.status).toBe('completed');
    const left = w.audit.filter(({ action }) => action === 'steering.requeued');
    expect(left.map(({ resource }) => resource)).toEqual([first, second]);
  });

  it('is given once, although two calls ask at the same moment', async () => {
    const { w, parent } = await steered({ calls: ['steering.pull', 'steering.pull'] });
    const children = [await w.say(aside), await w.say(aside)];
    w.release();
    const [, one, other] = await w.replies(parent);
    expect([...(turns(one) ?? []), ...(turns(other) ?? [])]).toEqual(children);
  });

  it('beyond the hundredth goes the ordinary way (check 65)', async () => {
    const { w, parent } = await steered(pull());
    for (let i = 0; i < limits.steering; i += 1) await w.say(aside);
    const late = await w.say(aside);
    const accepted = w.log.find(({ subtype, turn_id }) => subtype === 'TURN_ACCEPTED' && turn_id === late);
    expect(accepted?.payload).toMatchObject({ state: 'queued', parent_turn_id: null });
    w.release();
    const [, reply] = await w.replies(parent);
    expect(turns(reply)).toHaveLength(limits.steering);
    expect(await w.run(late)).toMatchObject({ status: 'completed' });
  });

  it('goes the ordinary way when it could not be taken, and the run lives on (check 67)', async () => {
    const { w, parent } = await steered(pull(), pull());
    const child = await w.say(aside);
    const { takeInputs } = w.agents;
    let calls = 0;
    w.agents.takeInputs = async ({ run_id, turn_id, session_id, agent_id }, limit) => {
      calls += 1;
      // First the session is not at hand, then it does not agree.
      const asking = calls === 1 ? { run_id, session_id: 'nowhere' } : { run_id: 'another', session_id };
      return takeInputs.call(w.agents, { ...asking, turn_id, agent_id }, limit);
    };
    w.release();
    const [, failed, nothing] = await w.replies(parent);
    expect(failed?.error).toMatchObject({ code: 'runtime_error', retryable: true });
    expect(nothing?.result).toEqual({ items: [] });
    expect(await w.run(child)).toMatchObject({ status: 'completed' });
    expect(dispatched(w)).toEqual([parent, child]);
  });

  it.each([
    ['thread', saidIn('x', null)],
    ['bot', saidIn(null, 'b')],
  ])('of another %s is not taken (check 68)', async (_what, event) => {
    const { w, parent } = await steered(pull());
    const other = await w.say(aside, { event });
    w.release();
    const [, reply] = await w.replies(parent);
    expect(turns(reply)).toEqual([]);
    await w.run(other);
    expect(dispatched(w)).toEqual([parent, other]);
  });

  it('that is an event and nobody’s words is not taken', async () => {
    const { w, parent } = await steered(pull());
    const other = await w.say(aside, { event: { ...saidIn(null, null), event_type: 'schedule.triggered' } });
    w.release();
    const [, reply] = await w.replies(parent);
    expect(turns(reply)).toEqual([]);
    expect((await w.run(other, () => true)).turn_id).toBe(other);
  });
});

describe('an agent that is not steered', () => {
  it('gets its inputs one after the other, and may not pull (check 69)', async () => {
    const w = new SessionWorld();
    w.follow();
    const parent = await w.say([hold, pull(), ...told]);
    await w.held();
    const next = await w.say(aside);
    w.release();
    const [, reply] = await w.replies(parent);
    expect(reply?.error?.code).toBe('unauthorized');
    await w.run(next);
    expect(dispatched(w)).toEqual([parent, next]);
  });
});
