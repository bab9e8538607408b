import type { ActionOutcome } from '@rostra/protocol/session/output';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { canonicalJson } from '@rostra/protocol/wire/canonical-json';
import { isJsonObject, type Json, type JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { ActiveRun } from '../orchestrator/run-charter.ts';
import type { InteractionStore } from '../store/ports/interaction.ts';
import type { RunStore } from '../store/ports/run.ts';
import type { InteractionDesk } from './interaction-desk.ts';
import type { PlatformSurface, RequestedAction } from './platform-surface.ts';
import { visibleJson } from './visible-json.ts';

export interface PlatformActionsOptions {
  readonly surfaces: readonly PlatformSurface[];
  readonly desk: Pick<InteractionDesk, 'plan' | 'put' | 'wait'>;
  readonly store: Pick<InteractionStore, 'page'>;
  readonly runs: Pick<RunStore, 'get'>;
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
 * P3. An approval is acted upon once: what may have been done is asked for again.
 */
export class PlatformActions {
  readonly #options: PlatformActionsOptions;
  /** Approvals that an earlier attempt asked for and a live run has acted upon. */
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
      ...wordsOf(run, requested),
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

  /**
   * A person approved the very same action when the attempt before this one had asked and was lost. Approved while that
   * attempt lived, it may have been done already.
   */
  async #approvedBefore(run: ActiveRun, requested: RequestedAction): Promise<string | null> {
    const attempt = Number(run.run_id.slice(run.turn_id.length + 1));
    if (!(attempt > 1)) return null;
    const lost = await this.#options.runs.get(`${run.turn_id}.${attempt - 1}`);
    if (lost === null || lost.ended_at === null) return null;
    const { run_id, ended_at } = lost;
    const { workspace_id } = run.charter.grant.scope;
    const filter = { workspace_id, session_id: run.session_id, status: 'answered' as const };
    const { rows } = await this.#options.store.page(filter, { limit: limits.interactions });
    const words = canonicalJson(wordsOf(run, requested));
    const row = rows.find(
      (each) =>
        each.purpose === 'approval' &&
        each.run_id === run_id &&
        each.answer?.action_id === APPROVE &&
        (each.resolved_at ?? 0) > ended_at &&
        canonicalJson(wordsIn(each.request)) === words &&
        !this.#used.has(each.interaction_id),
    );
    if (row === undefined || run.signal.aborted) return null;
    const { interaction_id } = row;
    this.#used.add(interaction_id);
    // The attempt after this one looks at what this one asked.
    run.signal.addEventListener('abort', () => this.#used.delete(interaction_id), { once: true });
    return interaction_id;
  }
}

export const unsupported: ActionOutcome = { status: 'unsupported', interaction_id: null, result: null };

function decided(outcome: ActionOutcome): Pending {
  return { asked: null, done: Promise.resolve(outcome) };
}

/** What a person is shown of an action: all of it, and who wants it. */
function wordsOf({ agent_id }: ActiveRun, { action, target, payload }: RequestedAction) {
  const title = `${agent_id} wants to: ${action}`.slice(0, limits.interaction_label_chars);
  return { title, body: visibleJson({ target, payload }) };
}

function wordsIn(request: Json): JsonObject {
  if (!isJsonObject(request)) return {};
  return { title: request.title ?? null, body: request.body ?? null };
}
