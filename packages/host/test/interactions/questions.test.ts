import { interactionRowsOf } from '@rostra/kernel/projection/interaction-rows';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { Inbox } from '../../src/interactions/inbox.ts';
import { SessionWorld, saidIn } from '../proxy/session-world.ts';

const owner = { workspace_id: 'w', user_id: 'u' };
const sure = { kind: 'confirmation', title: 'Sure?' };
const asked = (payload: object, more: object = {}) => ({
  results: [['action.requested', { action: 'interaction.requested', payload, ...more }]],
});
const end = { end: true };

function inboxOf({ store, gateway, clock }: SessionWorld): Inbox {
  return new Inbox({ store, gateway, now: () => clock.now() });
}

/** The newest question of the session, once there is one. */
async function question(world: SessionWorld, status = 'pending') {
  const inbox = inboxOf(world);
  return world.until(async () => {
    const { items } = await inbox.page(owner, {});
    const [item] = items;
    return item?.status === status ? item : null;
  });
}

describe('a run that asks by a result', () => {
  it('puts its question into the inbox, with something to answer it by', async () => {
    const world = new SessionWorld();
    const turn_id = await world.say([asked(sure), end]);
    const item = await question(world);
    expect(item).toMatchObject({
      purpose: 'question',
      kind: 'confirmation',
      title: 'Sure?',
      agentId: 'guide',
      taskId: turn_id,
    });
    expect(item.actions.map(({ id }) => id)).toEqual(['confirm', 'cancel']);
  });

  it('the target and the id that a runner gives are ignored: the run’s own delivery is it (check 71)', async () => {
    const world = new SessionWorld();
    const target = { session_id: 'another', bot_id: 'b', user: 'somebody' };
    await world.say([asked({ ...sure, interaction_id: 'mine', target }, { target }), end]);
    const item = await question(world);
    expect(item.id).not.toBe('mine');
    expect(item).toMatchObject({ sessionId: 's', agentId: 'guide' });
    expect(JSON.stringify(item)).not.toContain('somebody');
  });

  it('leaves it open when it completes, and the answer starts a turn about it', async () => {
    const world = new SessionWorld();
    world.follow();
    await world.run(await world.say([asked(sure), end]));
    const { id } = await question(world);
    const answered = await inboxOf(world).answer(owner, id, { actionId: 'confirm', values: {} });
    expect(answered).toMatchObject({ status: 'answered', answeredBy: 'u', answer: { actionId: 'confirm' } });
    const input = world.log.findLast((record) => record.event === 'USER_INPUT');
    expect(input?.payload).toMatchObject({
      input: { text: null },
      event: {
        event_type: 'interaction.submitted',
        data: { interaction_id: id, action_id: 'confirm', values: {}, request_kind: 'confirmation' },
      },
    });
  });

  it('is answered in the thread where it asked: the run and its event lie there', async () => {
    const world = new SessionWorld();
    await world.run(await world.say([asked(sure), end], { event: saidIn('x', 'b') }));
    const { id } = await question(world);
    await inboxOf(world).answer(owner, id, { actionId: 'confirm', values: {} });
    const place = { thread_id: 'x', bot_id: 'b' };
    const { rows } = await world.store.runs.page('s', { place });
    expect(rows).toHaveLength(2);
    const { rows: events } = await world.store.events.page('s');
    expect(events.find(({ event_type }) => event_type === 'interaction.submitted')).toMatchObject(place);
  });

  it.each([
    ['its runner’s permissions do not name', { ...sure, kind: 'choice', actions: [action('a')] }, ['choice']],
    ['its agent’s policy does not name', sure, ['form']],
  ])('is refused a kind that %s, and the run goes on (check 70)', async (_why, payload, interactions) => {
    const world = new SessionWorld({ binding: { grants: grantsOf(interactions) } });
    const row = await world.run(await world.say([asked(payload), end]));
    expect(row.status).toBe('completed');
    expect((await inboxOf(world).page(owner, {})).items).toEqual([]);
    expect(world.audit).toMatchObject([{ resource: 'interaction.requested', result: 'unauthorized' }]);
  });

  it.each([
    ['an expiry that is past', { ...sure, expires_at: 1 }],
    ['an expiry of more than 24 hours', { ...sure, expires_in: 25 * 3_600_000 }],
    ['an id twice', { ...sure, actions: [action('a'), action('a')] }],
    ['more than 256 KiB', { ...sure, body: 'x'.repeat(limits.interaction_bytes) }],
    ['more than 50 fields', { ...sure, fields: Array.from({ length: 51 }, (_, n) => field(`f${n}`)) }],
    ['more than 20 actions', { ...sure, actions: Array.from({ length: 21 }, (_, n) => action(`a${n}`)) }],
    ['no title', { kind: 'confirmation' }],
  ])('is refused for %s, and the run goes on (check 73)', async (_what, payload) => {
    const world = new SessionWorld();
    expect((await world.run(await world.say([asked(payload), end]))).status).toBe('completed');
    expect((await inboxOf(world).page(owner, {})).items).toEqual([]);
  });

  it('says the fallback text where nobody can be shown a question (check 72)', async () => {
    const world = new SessionWorld();
    const turn_id = await world.say([asked({ ...sure, fallback_text: 'Say yes or no.' }), end], { event: elsewhere });
    await world.run(turn_id);
    const { rows } = await world.store.transcript.page('s');
    expect(rows.at(-1)).toMatchObject({ turn_id, role: 'assistant', content: 'Say yes or no.' });
    expect((await inboxOf(world).page(owner, {})).items).toEqual([]);
  });

  it('a cancelled run closes its question, and an answer to it is too late', async () => {
    const world = new SessionWorld();
    const turn_id = await world.say([asked(sure), { call: 'state.get', params: { scope: 'conversation', key: 'k' } }]);
    const { id } = await question(world);
    const turn = await world.store.findTurn(turn_id);
    if (turn === null) throw new Error('no turn');
    await world.gateway.cancelTurn(turn, owner);
    expect(await question(world, 'run_ended')).toMatchObject({ id });
    const late = inboxOf(world).answer(owner, id, { actionId: 'confirm', values: {} });
    await expect(late).rejects.toMatchObject({ details: { reason: 'INTERACTION_NOT_OPEN' } });
  });

  it('the inbox is what the log says, row for row, when it is read again', async () => {
    const world = new SessionWorld();
    world.follow();
    await world.run(await world.say([asked(sure), asked({ ...sure, title: 'Again?' }), end]));
    const { id } = await question(world);
    await inboxOf(world).answer(owner, id, { actionId: 'cancel', values: {} });
    const { rows } = await world.store.interactions.page({ workspace_id: 'w' });
    expect(rows).toHaveLength(2);
    expect(interactionRowsOf(world.log, 'w').reverse()).toEqual(rows);
  });
});

describe('a run that waits for the answer', () => {
  const request = { call: 'interactions.request', params: { request: { ...sure, fields: [] } } };

  it('is told what was answered, and its turn goes on', async () => {
    const world = new SessionWorld();
    const turn_id = await world.say([request, { wait: true }, { tell: true }, end]);
    const { id } = await question(world);
    await inboxOf(world).answer(owner, id, { actionId: 'confirm', values: {} });
    const [first, second] = await world.replies(turn_id);
    expect(first?.result).toMatchObject({ interaction_id: id, status: 'open' });
    expect(second?.result).toEqual({ interaction_id: id, status: 'submitted', action: 'confirm', values: {} });
  });

  it('finds nothing under the id of somebody else’s question (case 38)', async () => {
    const world = new SessionWorld();
    await world.run(await world.say([asked(sure), end]));
    const { id: interaction_id } = await question(world);
    const calls = ['interactions.get', 'interactions.wait'].map((call) => ({ call, params: { interaction_id } }));
    const replies = await world.replies(await world.say([...calls, { tell: true }, end]));
    expect(replies.map(({ error }) => error?.code)).toEqual(['not_found', 'not_found']);
  });

  it('is told at once, and for good, that its question reaches nobody (check 79)', async () => {
    const world = new SessionWorld();
    const turn_id = await world.say([request, { wait: true }, { tell: true }, end], { event: elsewhere });
    const [first, second] = await world.replies(turn_id);
    expect(first?.result).toMatchObject({ status: 'delivery_failed', action: null, values: {} });
    expect(second?.error?.code).toBe('not_found');
    expect((await inboxOf(world).page(owner, {})).items).toEqual([]);
  });

  it('is refused when too many questions are open, for good', async () => {
    const world = new SessionWorld();
    const many = Array.from({ length: limits.interactions }, () => asked(sure));
    await world.run(await world.say([...many, end]));
    const run = world.say([{ call: 'state.get', params: { scope: 'conversation', key: 'k' } }, end]);
    await world.held();
    const active = world.orchestrator.voice.find(`${await run}.1`);
    if (active === null) throw new Error('no run');
    const one = world.desk.ask(active, { purpose: 'budget', request: { kind: 'confirmation', title: 'More?' } });
    await expect(one).rejects.toMatchObject({ code: 'rate_limited' });
    world.release();
  });

  it('a question of the host is an expiry when nobody answers, and no failure', async () => {
    const world = new SessionWorld();
    const run = await world.say([{ call: 'state.get', params: { scope: 'conversation', key: 'k' } }, end]);
    await world.held();
    const active = world.orchestrator.voice.find(`${run}.1`);
    if (active === null) throw new Error('no run');
    const request = { kind: 'confirmation' as const, title: 'More?', expires_in: 1000 };
    const outcome = world.desk.ask(active, { purpose: 'budget', request });
    await question(world);
    world.clock.advance(1000);
    expect(await outcome).toMatchObject({ status: 'expired', action: null });
    world.release();
  });
});

function grantsOf(interactions: string[]) {
  return { interactions, state_scopes: [], history_scope: 'conversation' as const };
}

function action(id: string): Json {
  return { id, label: id };
}

function field(id: string): Json {
  return { id, label: id, type: 'string' };
}

const elsewhere = {
  event_id: 'e1',
  event_type: 'message.received',
  event_time: null,
  source: 'somewhere',
  source_event_type: null,
  raw_ref: null,
  data: {},
  trigger_source: 'platform' as const,
  conversation: null,
  actor: null,
  subject: null,
  delivery: { surface: 'sms', platform_capabilities: {} },
  adapter: null,
};
