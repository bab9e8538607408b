import type { InteractionRow } from '@rostra/kernel/projection/interaction-rows';
import { DeliveryContext } from '@rostra/protocol/runner/run-context';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { describe, expect, it } from 'vitest';
import { InteractionDesk } from '../../src/interactions/interaction-desk.ts';
import { ToolApprovals } from '../../src/interactions/tool-approvals.ts';
import type { ActiveRun } from '../../src/orchestrator/run-charter.ts';
import type { RunListener } from '../../src/orchestrator/run-voice.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { activeRun, type TestRun } from '../proxy/gate-bench.ts';
import { interactionRow } from '../store/ports/interaction.suite.ts';
import { commit, runRow, SessionUnits } from '../store/session-units.ts';

const LOST_AT = 50;
const parameters = { city: 'Oslo' };
const denied = { code: 'unauthorized', details: { reason: 'TOOL_DENIED' } };
const request = { title: 'guide wants to use weather', body: '{"city":"Oslo"}' };
const answered = (action_id: string, resolved_at: number): Partial<InteractionRow> => ({
  status: 'answered',
  answer: { action_id, values: {} },
  resolved_at,
});

/** A host after its restart: the inbox holds what the attempt asked that was lost with the one before. */
class Restarted {
  readonly store = new MemoryStore();
  /** What is asked anew. */
  readonly asked: string[] = [];
  readonly paused = new Set<string>();
  readonly #units = new SessionUnits('s');
  #heard: RunListener = () => undefined;
  readonly approvals: ToolApprovals;

  constructor() {
    const { interactions, runs } = this.store;
    const desk = new InteractionDesk({
      voice: {
        tell: (_run_id, _subtype, payload) => !!this.asked.push(JSON.stringify(payload)),
        watch: (listener) => {
          this.#heard = listener;
          return () => undefined;
        },
        pause: (_run_id, id) => !!this.paused.add(id),
        resume: (_run_id, id) => this.paused.delete(id),
      },
      store: interactions,
      now: () => 0,
      newId: () => `new-${this.asked.length}`,
    });
    this.approvals = new ToolApprovals({ desk, store: interactions, runs });
  }

  async begin(...rows: Partial<InteractionRow>[]): Promise<this> {
    const opened = rows.map((change, n) => ({
      opened: interactionRow(`q${n}`, { purpose: 'approval', request, ...change }),
    }));
    const ended = { status: 'failed', code: 'host.restarted', ended_at: LOST_AT } as const;
    await commit(this.store, this.#units.next(1, { interactions: opened, runs: [runRow('s', 't.1', ended)] }));
    return this;
  }

  attempt(n: number): TestRun {
    const run = activeRun(`t.${n}`);
    const { charter } = run;
    const grant = { ...charter.grant, scope: { ...charter.grant.scope, workspace_id: 'workspace' } };
    return { ...run, turn_id: 't', session_id: 's', charter: { ...charter, grant } };
  }

  /** What a call comes to; `asked` when a person is asked about it. */
  async outcome(run: ActiveRun, given: { city: string } = parameters): Promise<string> {
    const before = this.asked.length;
    const call = this.approvals.ask(run, 'weather', given).then(
      () => 'approved',
      (error: { details: { reason: string } }) => error.details.reason,
    );
    const waits = (async () => {
      while (this.asked.length === before) await new Promise((resolve) => setTimeout(resolve, 1));
      return 'asked';
    })();
    return Promise.race([call, waits]);
  }

  /** The session takes the answer of a person, and tells the run that lives now. */
  answer(run: ActiveRun, interaction_id: string, action_id: string): void {
    const sender = { kind: 'session' as const, id: 's' };
    const envelope = { id: 'm', session_id: 's', sender, target: 'AGENT' as const, ts: 0, epoch: 1 };
    const payload = { interaction_id, action_id, values: {} };
    this.#heard(run, MessageFactory.control('INTERACTION_ANSWERED', payload, envelope));
  }
}

describe('an approval of a tool after a restart', () => {
  it('that is still open is waited for by the next attempt: nobody is asked twice', async () => {
    const host = await new Restarted().begin({});
    const run = host.attempt(2);
    const call = host.approvals.ask(run, 'weather', parameters);
    while (!host.paused.has('q0')) await new Promise((resolve) => setTimeout(resolve, 1));
    host.answer(run, 'q0', 'approve');
    await call;
    expect(host.asked).toEqual([]);
    expect(await host.outcome(run)).toBe('asked');
  });

  it('that came after the run was lost is good for one call', async () => {
    const host = await new Restarted().begin(answered('approve', LOST_AT + 1));
    const run = host.attempt(2);
    expect(await host.outcome(run)).toBe('approved');
    expect(await host.outcome(run)).toBe('asked');
  });

  it('that the run lived to hear may have been used: it is asked for again', async () => {
    const host = await new Restarted().begin(answered('approve', LOST_AT));
    expect(await host.outcome(host.attempt(2))).toBe('asked');
  });

  it('that was used by the attempt before is not used again', async () => {
    const host = await new Restarted().begin(answered('approve', LOST_AT + 1));
    expect(await host.outcome(host.attempt(2))).toBe('approved');
    const lost = runRow('s', 't.2', { status: 'failed', ended_at: LOST_AT + 10 });
    await commit(host.store, new SessionUnits('s', { epoch: 1, last_seq: 1 }).next(1, { runs: [lost] }));
    expect(await host.outcome(host.attempt(3))).toBe('asked');
  });

  it('that was denied stays denied', async () => {
    const host = await new Restarted().begin(answered('deny', LOST_AT - 1));
    expect(await host.outcome(host.attempt(2))).toBe('TOOL_DENIED');
    expect(host.asked).toEqual([]);
  });

  it('says nothing of another call, and nothing to a first attempt', async () => {
    const host = await new Restarted().begin(answered('approve', LOST_AT + 1));
    expect(await host.outcome(host.attempt(2), { city: 'Bergen' })).toBe('asked');
    expect(await host.outcome(host.attempt(1))).toBe('asked');
  });

  it.each(['expired', 'run_lost', 'run_ended'] as const)('that is %s is asked for again', async (status) => {
    const host = await new Restarted().begin({ status, resolved_at: LOST_AT });
    expect(await host.outcome(host.attempt(2))).toBe('asked');
  });

  it('two of the same words are two: each call takes one of them', async () => {
    const host = await new Restarted().begin(answered('approve', LOST_AT + 1), answered('deny', LOST_AT + 2));
    const run = host.attempt(2);
    const both = await Promise.all([host.outcome(run), host.outcome(run)]);
    expect(both.sort()).toEqual(['TOOL_DENIED', 'approved']);
    expect(await host.outcome(run)).toBe('asked');
  });
});

describe('an approval of a tool', () => {
  it('is denied where nobody can be asked', async () => {
    const host = await new Restarted().begin();
    const run = host.attempt(1);
    const delivery = DeliveryContext.parse({ surface: 'sms' });
    const charter = { ...run.charter, envelope: { ...run.charter.envelope, delivery } };
    await expect(host.approvals.ask({ ...run, charter }, 'weather', parameters)).rejects.toMatchObject(denied);
    expect(host.asked).toEqual([]);
  });

  it('shows letters that would hide or turn others around', async () => {
    const host = await new Restarted().begin();
    const run = host.attempt(1);
    const hidden = { path: '/tmp\u202egpj.exe', tag: '\u{e0041}', csi: '\u009b2J', ok: 'é漢🙂' };
    const call = host.approvals.ask(run, 'weather', hidden);
    while (host.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const { body } = JSON.parse(host.asked[0] ?? '').request;
    expect(body).toBe('{"csi":"\\u009b2J","ok":"é漢🙂","path":"/tmp\\u202egpj.exe","tag":"\\udb40\\udc41"}');
    expect(JSON.parse(body)).toEqual(hidden);
    run.end();
    await expect(call).rejects.toMatchObject(denied);
  });

  it('that ends with its run is none', async () => {
    const host = await new Restarted().begin();
    const run = host.attempt(1);
    const call = host.approvals.ask(run, 'weather', parameters);
    while (host.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    run.end();
    await expect(call).rejects.toMatchObject(denied);
  });
});
