import type { InteractionRow } from '@rostra/kernel/projection/interaction-rows';
import { InteractionRequest } from '@rostra/protocol/api/interactions';
import { canonicalJson } from '@rostra/protocol/wire/canonical-json';
import { beforeEach, describe, expect, it } from 'vitest';
import { PlatformActions } from '../../src/interactions/platform-actions.ts';
import type { ActiveRun } from '../../src/orchestrator/run-charter.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { activeRun } from '../proxy/gate-bench.ts';
import { interactionRow } from '../store/ports/interaction.suite.ts';
import { commit, runRow, SessionUnits } from '../store/session-units.ts';

const wanted = { action: 'x', target: { message_id: 'm' }, payload: {} };
const LOST_AT = 50;

describe('an approval that the attempt before asked for, which was lost', () => {
  let performed: string[];
  let asks: string[];

  beforeEach(() => {
    performed = [];
    asks = [];
  });

  /** The inbox holds it; the run that asked is over since `LOST_AT`. */
  async function approved(change: Partial<InteractionRow> = {}): Promise<PlatformActions> {
    const store = new MemoryStore();
    const { action, ...words } = wanted;
    const request = { title: `guide wants to: ${action}`, body: canonicalJson(words) };
    const answer = { action_id: 'approve', values: {} };
    const answered = { purpose: 'approval', request, status: 'answered', answer, resolved_at: LOST_AT + 1 } as const;
    const opened = interactionRow('q', { ...answered, ...change });
    const ended = { status: 'failed', code: 'host.restarted', ended_at: LOST_AT } as const;
    const runs = [runRow('s', 't.1', ended)];
    await commit(store, new SessionUnits('s').next(1, { interactions: [{ opened }], runs }));
    return new PlatformActions({
      store: store.interactions,
      runs: store.runs,
      surfaces: [{ actions: ['x', 'y'], perform: async (run) => performed.push(run.run_id) }],
      desk: {
        plan: () => ({ request: InteractionRequest.parse({ kind: 'confirmation', title: 'T' }), expires_in: null }),
        put: (run) => {
          asks.push(run.run_id);
          return { interaction_id: 'again', status: 'open', action: null, values: {} };
        },
        wait: async () => ({ interaction_id: 'again', status: 'expired', action: null, values: {} }),
      },
    });
  }

  function attempt(n: number): ActiveRun {
    const run = activeRun(`t.${n}`);
    const { charter } = run;
    const scope = { ...charter.grant.scope, workspace_id: 'workspace' };
    const binding = { ...charter.binding, actions: { x: 'ask', y: 'ask' } as const };
    const grant = { ...charter.grant, scope };
    return { ...run, turn_id: 't', session_id: 's', agent_id: 'guide', charter: { ...charter, grant, binding } };
  }

  const outcome = async (actions: PlatformActions, n: number, request = wanted) =>
    (await (await actions.request(attempt(n), request)).done).status;

  it('is acted upon by the next one, once, without being asked again', async () => {
    const actions = await approved();
    expect(await outcome(actions, 3)).toBe('denied');
    expect(await outcome(actions, 2)).toBe('executed');
    expect(await outcome(actions, 2)).toBe('denied');
    expect([performed, asks]).toEqual([['t.2'], ['t.3', 't.2']]);
  });

  it('is acted upon once when it is wanted twice at the same time', async () => {
    const actions = await approved();
    const both = await Promise.all([outcome(actions, 2), outcome(actions, 2)]);
    expect(both.sort()).toEqual(['denied', 'executed']);
  });

  it.each([
    ['other words', { ...wanted, target: { message_id: 'other' } }],
    ['another action', { ...wanted, action: 'y' }],
  ])('says nothing of %s', async (_what, request) => {
    expect(await outcome(await approved(), 2, request)).toBe('denied');
    expect([performed, asks]).toEqual([[], ['t.2']]);
  });

  it('is asked for again when the run that asked lived to hear it: it may have acted upon it', async () => {
    const actions = await approved({ resolved_at: LOST_AT });
    expect(await outcome(actions, 2)).toBe('denied');
    expect([performed, asks]).toEqual([[], ['t.2']]);
  });
});
