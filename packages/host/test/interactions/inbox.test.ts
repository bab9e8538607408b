import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { timeouts } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { Inbox } from '../../src/interactions/inbox.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { saidIn } from '../proxy/session-world.ts';
import { TestHost } from '../session/test-host.ts';

const owner = { workspace_id: 'w', user_id: 'u' };

/** The inbox of one life of a host; a store outlives it. */
class Life {
  readonly host: TestHost;
  readonly inbox: Inbox;
  readonly store: MemoryStore;

  constructor(store = new MemoryStore(), resumable = false) {
    this.store = store;
    this.host = new TestHost(store, { resumable });
    this.inbox = new Inbox({ store, gateway: this.host.gateway, now: () => this.host.clock.now() });
  }

  #control(subtype: 'INTERACTION_REQUESTED' | 'HANDOVER_REQUEST', payload: object, sequence: number): void {
    const { turn_id, run_id, target_id, epoch, session_id } = this.host.lastInput();
    const envelope = {
      id: `${run_id}:${sequence}`,
      session_id,
      sender: { kind: 'agent' as const, id: target_id ?? '' },
      target: 'SYSTEM' as const,
      ts: 0,
      epoch,
      ...(turn_id !== undefined && { turn_id }),
      ...(run_id !== undefined && { run_id }),
      sequence,
    };
    const message =
      subtype === 'HANDOVER_REQUEST'
        ? MessageFactory.control(subtype, { reason: 'r', summary: 's', target_agent_id: 'scout', ...payload }, envelope)
        : MessageFactory.control(
            subtype,
            { interaction_id: 'q', purpose: 'question', kind: 'confirmation', request: sure, ...payload },
            envelope,
          );
    this.host.bus.publish('session', message);
    this.host.clock.settle();
  }

  async asks(payload: object = {}): Promise<void> {
    await this.host.say('hi');
    this.host.ack();
    this.#control('INTERACTION_REQUESTED', payload, 0);
  }

  async handsOver(): Promise<string> {
    await this.host.say('hi');
    this.host.ack();
    this.#control('HANDOVER_REQUEST', {}, 0);
    const { items } = await this.inbox.page(owner, { status: 'pending' });
    return items[0]?.id ?? '';
  }

  asksAgain(): void {
    this.#control('HANDOVER_REQUEST', {}, 1);
  }

  async answer(id: string, actionId: string) {
    const answering = this.inbox.answer(owner, id, { actionId, values: {} });
    answering.catch(() => undefined);
    for (let i = 0; i < 20; i += 1) {
      this.host.clock.settle();
      await Promise.resolve();
    }
    return answering;
  }
}

const sure = {
  kind: 'confirmation',
  title: 'Sure?',
  actions: [
    { id: 'confirm', label: 'Confirm' },
    { id: 'cancel', label: 'Cancel' },
  ],
};

describe('a handover in the inbox', () => {
  it('is a question with two answers, in the words of the agent and the name that the host gives it', async () => {
    const life = new Life();
    const id = await life.handsOver();
    expect(await life.inbox.get(owner, id)).toMatchObject({
      purpose: 'handover',
      kind: 'confirmation',
      agentId: 'guide',
      request: { from_agent_id: 'guide', target_agent_id: 'scout', reason: 'r', summary: 's' },
      actions: [{ id: 'confirm' }, { id: 'reject' }],
    });
  });

  it.each([
    ['confirm', 'scout'],
    ['reject', 'guide'],
  ])('%s is answered once, and %s is active then', async (action_id, active) => {
    const life = new Life();
    const id = await life.handsOver();
    life.host.output('final', {}, 1);
    expect(await life.answer(id, action_id)).toMatchObject({ status: 'answered', answeredBy: 'u' });
    expect(life.host.runtime.driver(life.host.lastInput().session_id)?.context.active_agent_id).toBe(active);
    await expect(life.answer(id, action_id)).rejects.toMatchObject({ details: { reason: 'INTERACTION_NOT_OPEN' } });
  });

  it('a second confirmation while the first is being carried out is too late', async () => {
    const life = new Life();
    const id = await life.handsOver();
    await life.answer(id, 'confirm');
    await expect(life.answer(id, 'confirm')).rejects.toMatchObject({ details: { reason: 'INTERACTION_NOT_OPEN' } });
  });

  it('is answered while the turn that asked is being cancelled', async () => {
    const life = new Life();
    const id = await life.handsOver();
    await life.host.cancel(life.host.lastInput().turn_id ?? '');
    expect(await life.answer(id, 'confirm')).toMatchObject({ id });
    await expect(life.answer(id, 'confirm')).rejects.toMatchObject({ details: { reason: 'INTERACTION_NOT_OPEN' } });
  });

  it('that nobody answers expires, and the session can be used (fault 14)', async () => {
    const life = new Life();
    const id = await life.handsOver();
    life.host.output('final', {}, 1);
    life.host.clock.advance(timeouts.handover);
    expect(await life.inbox.get(owner, id)).toMatchObject({ status: 'expired', answer: null });
    expect(await life.host.say('still there?')).toMatchObject({ turn_id: expect.any(String) });
  });

  it('under a guessed id is not found (case 33)', async () => {
    const life = new Life();
    const id = await life.handsOver();
    await expect(life.answer(`${id}0`, 'confirm')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is asked once at a time, however often an agent asks (case 58)', async () => {
    const life = new Life();
    await life.handsOver();
    life.asksAgain();
    expect((await life.inbox.page(owner, { status: 'pending' })).items).toHaveLength(1);
    expect(life.host.toAgents.at(-1)).toMatchObject({
      subtype: 'HANDOVER_REJECTED',
      payload: { target_agent_id: 'scout', reason: 'rate_limited' },
    });
  });
});

describe('a restart', () => {
  it('leaves the question of a completed turn in the inbox, and its answer starts a turn', async () => {
    const first = new Life();
    await first.asks();
    first.host.output('final', {}, 1);
    const second = new Life(first.store);
    second.host.runtime.recover(first.host.lastInput().session_id);
    second.host.clock.settle();
    expect((await second.inbox.page(owner, { status: 'pending' })).items).toMatchObject([{ id: 'q' }]);
    expect(await second.answer('q', 'confirm')).toMatchObject({ status: 'answered' });
    expect(second.host.lastInput().payload).toMatchObject({
      event: { event_type: 'interaction.submitted', data: { interaction_id: 'q', action_id: 'confirm' } },
    });
  });

  it('hands the answer to the next attempt of a turn that can go on', async () => {
    const first = new Life(undefined, true);
    await first.asks();
    const second = new Life(first.store, true);
    second.host.runtime.recover(first.host.lastInput().session_id);
    second.host.clock.settle();
    await second.answer('q', 'confirm');
    expect(second.host.lastInput().payload).toMatchObject({
      resume: { attempt: 2, interaction_answer: { interaction_id: 'q', action_id: 'confirm' } },
    });
  });

  it('knows where a turn belongs that was queued before a handover began another', async () => {
    const first = new Life(undefined, true);
    const id = await first.handsOver();
    const { turn_id } = await first.host.say('two', { event: saidIn('x', null) });
    await first.answer(id, 'confirm');
    first.host.output('final', {}, 1);
    expect(first.host.toAgents.at(-1)).toMatchObject({ subtype: 'HANDOVER_CONTEXT' });
    const second = new Life(first.store, true);
    second.host.runtime.recover(first.host.lastInput().session_id);
    second.host.clock.settle();
    await second.host.cancel(turn_id);
    const { rows } = await first.store.events.page(first.host.lastInput().session_id);
    expect(rows.find((row) => row.turn_id === turn_id && row.event_type === 'run.cancelled')).toMatchObject({
      thread_id: 'x',
    });
  });

  it('closes the question of a run that cannot go on as lost', async () => {
    const first = new Life();
    await first.asks();
    const second = new Life(first.store);
    second.host.runtime.recover(first.host.lastInput().session_id);
    second.host.clock.settle();
    expect(await second.inbox.get(owner, 'q')).toMatchObject({ status: 'run_lost' });
  });
});
