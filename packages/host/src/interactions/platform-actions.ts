import type { ActionOutcome } from '@rostra/protocol/session/output';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { canonicalJson } from '@rostra/protocol/wire/canonical-json';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { ActiveRun } from '../orchestrator/run-charter.ts';
import type { InteractionStore } from '../store/ports/interaction.ts';
import type { InteractionDesk } from './interaction-desk.ts';
import type { PlatformSurface, RequestedAction } from './platform-surface.ts';

export interface PlatformActionsOptions {
  readonly surfaces: readonly PlatformSurface[];
  readonly desk: Pick<InteractionDesk, 'plan' | 'put' | 'wait'>;
  readonly store: Pick<InteractionStore, 'page'>;
}

/** An action on its way: decided already, or put before a person whose answer decides. */
export interface Pending {
  /** The question that is open; null when nobody was asked. */
  readonly asked: string | null;
  readonly done: Promise<ActionOutcome>;
}

const APPROVE = 'approve';

/**
 * Actions of the platform, requested by agents whose grant names them.
 *
 * P1. The agent's policy decides, action by action: performed, put before a person, or denied; denied unless told.
 * P2. An approval is an answer in the inbox. Whatever the request itself says is the action's data and nothing else.
 */
export class PlatformActions {
  readonly #options: PlatformActionsOptions;
  /** Approvals that an earlier attempt asked for and this host has acted upon. */
  readonly #used = new Set<string>();

  constructor(options: PlatformActionsOptions) {
    this.#options = options;
  }

  /** Whether any entry can do that at all. */
  offers(action: string): boolean {
    return this.#surfaceOf(action) !== undefined;
  }

  async request(run: ActiveRun, requested: RequestedAction): Promise<Pending> {
    const { action } = requested;
    const surface = this.#surfaceOf(action);
    if (surface === undefined) return decided(unsupported);
    const { actions = {} } = run.charter.binding;
    const policy = Object.hasOwn(actions, action) ? actions[action] : 'deny';
    if (policy === 'allow') return decided(await this.#perform(run, surface, requested, null));
    if (policy !== 'ask') return decided({ status: 'denied', interaction_id: null, result: null });
    const earlier = await this.#approvedBefore(run, requested);
    if (earlier !== null) return decided(await this.#perform(run, surface, requested, earlier));
    return this.#ask(run, surface, requested);
  }

  #surfaceOf(action: string): PlatformSurface | undefined {
    return this.#options.surfaces.find(({ actions }) => actions.includes(action));
  }

  #ask(run: ActiveRun, surface: PlatformSurface, requested: RequestedAction): Pending {
    const { desk } = this.#options;
    const planned = desk.plan({
      kind: 'confirmation',
      title: `${run.agent_id} wants to: ${requested.action}`.slice(0, limits.interaction_label_chars),
      body: canonicalJson({ target: requested.target, payload: requested.payload }),
      actions: [
        { id: APPROVE, label: 'Approve' },
        { id: 'deny', label: 'Deny' },
      ],
    });
    const { interaction_id } = desk.put(run, 'approval', planned);
    const done = desk.wait(run, interaction_id).then(({ status, action }) => {
      const isApproved = status === 'submitted' && action === APPROVE && !run.signal.aborted;
      if (isApproved) return this.#perform(run, surface, requested, interaction_id);
      return { status: 'denied' as const, interaction_id, result: null };
    });
    return { asked: interaction_id, done };
  }

  async #perform(
    run: ActiveRun,
    surface: PlatformSurface,
    requested: RequestedAction,
    interaction_id: string | null,
  ): Promise<ActionOutcome> {
    try {
      return { status: 'executed', interaction_id, result: await surface.perform(run, requested) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { status: 'failed', interaction_id, result: { code: error.code, message: error.message } };
    }
  }

  /** A person approved the very same action when the attempt before this one asked, which was lost before it was done. */
  async #approvedBefore(run: ActiveRun, requested: RequestedAction): Promise<string | null> {
    const attempt = Number(run.run_id.slice(run.turn_id.length + 1));
    if (!(attempt > 1)) return null;
    const { workspace_id } = run.charter.grant.scope;
    const filter = { workspace_id, session_id: run.session_id, status: 'answered' as const };
    const { rows } = await this.#options.store.page(filter, { limit: limits.interactions });
    const body = canonicalJson({ target: requested.target, payload: requested.payload });
    const row = rows.find(
      (each) =>
        each.purpose === 'approval' &&
        each.run_id === `${run.turn_id}.${attempt - 1}` &&
        each.answer?.action_id === APPROVE &&
        bodyOf(each.request) === body &&
        !this.#used.has(each.interaction_id),
    );
    if (row === undefined) return null;
    this.#used.add(row.interaction_id);
    return row.interaction_id;
  }
}

export const unsupported: ActionOutcome = { status: 'unsupported', interaction_id: null, result: null };

function decided(outcome: ActionOutcome): Pending {
  return { asked: null, done: Promise.resolve(outcome) };
}

function bodyOf(request: Json): Json | null {
  return typeof request === 'object' && request !== null && !Array.isArray(request) ? (request.body ?? null) : null;
}
