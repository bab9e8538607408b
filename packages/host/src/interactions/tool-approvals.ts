import type { InteractionRow } from '@rostra/kernel/projection/interaction-rows';
import type { AskedInteraction, InteractionOutcome } from '@rostra/protocol/api/interactions';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { type JsonObject, jsonObjectOf } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { ActiveRun } from '../orchestrator/run-charter.ts';
import type { InteractionStore } from '../store/ports/interaction.ts';
import type { RunStore } from '../store/ports/run.ts';
import { canAsk } from './asking-surface.ts';
import type { InteractionDesk } from './interaction-desk.ts';
import { visibleJson } from './visible-json.ts';

export interface ToolApprovalsOptions {
  readonly desk: Pick<InteractionDesk, 'ask' | 'wait'>;
  readonly store: Pick<InteractionStore, 'page'>;
  readonly runs: Pick<RunStore, 'get'>;
}

/** What an earlier attempt of a turn asked, which this one need not ask again. */
interface Earlier {
  readonly words: string;
  readonly interaction_id: string;
}

const APPROVE = 'approve';
const DENY = 'deny';

/**
 * Calls of tools that a person decides about.
 *
 * A1. What a person sees is the whole call, and what they approve is that call and no other; an approval is an answer in
 *     the inbox and nothing that a runner or a tool says.
 * A2. An approval is good for one call. One that came while an earlier attempt lived may have been used by it: it is
 *     asked for again.
 * A3. A question that an earlier attempt left open is this one's, and what was denied to it stays denied.
 */
export class ToolApprovals {
  readonly #options: ToolApprovalsOptions;
  /** By run: what earlier attempts have asked and this one has not called yet. */
  readonly #earlier = new WeakMap<ActiveRun, Promise<Earlier[]>>();

  constructor(options: ToolApprovalsOptions) {
    this.#options = options;
  }

  /** Resolves when a person has approved the call; throws when they have not. */
  async ask(run: ActiveRun, tool_name: string, parameters: JsonObject): Promise<void> {
    if (!canAsk(run)) throw denied(`"${tool_name}" needs the approval of a person, and nobody can be asked here.`);
    const request = requestOf(run, tool_name, parameters);
    const earlier = await this.#take(run, wordsOf(request));
    run.signal.throwIfAborted();
    const { desk } = this.#options;
    const outcome = await (earlier === null
      ? desk.ask(run, { purpose: 'approval', request })
      : desk.wait(run, earlier.interaction_id));
    check(outcome, tool_name);
  }

  /** The same question of an earlier attempt, each once and in their order. */
  async #take(run: ActiveRun, words: string): Promise<Earlier | null> {
    const attempt = Number(run.run_id.slice(run.turn_id.length + 1));
    if (!(attempt > 1)) return null;
    let reading = this.#earlier.get(run);
    if (reading === undefined) {
      reading = this.#askedBefore(run, attempt);
      this.#earlier.set(run, reading);
    }
    const left = await reading;
    const index = left.findIndex((each) => each.words === words);
    return left.splice(index, index < 0 ? 0 : 1)[0] ?? null;
  }

  async #askedBefore(run: ActiveRun, attempt: number): Promise<Earlier[]> {
    const { store, runs } = this.#options;
    const lost = await runs.get(`${run.turn_id}.${attempt - 1}`);
    const lost_at = lost?.ended_at ?? null;
    const { workspace_id } = run.charter.grant.scope;
    const filter = { workspace_id, session_id: run.session_id, turn_id: run.turn_id, purpose: 'approval' as const };
    const { rows } = await store.page(filter, { limit: limits.page_items });
    return rows
      .filter((row) => row.run_id !== run.run_id && stands(row, lost_at))
      .reverse()
      .map(({ interaction_id, request }) => ({ interaction_id, words: wordsOf(jsonObjectOf(request)) }));
  }
}

/** Whether what was asked before holds for this attempt too. */
function stands({ status, answer, resolved_at }: InteractionRow, lost_at: number | null): boolean {
  if (status === 'pending') return true;
  if (status !== 'answered') return false;
  if (answer?.action_id !== APPROVE) return true;
  return lost_at !== null && resolved_at !== null && resolved_at > lost_at;
}

function requestOf({ agent_id }: ActiveRun, tool_name: string, parameters: JsonObject): AskedInteraction {
  return {
    kind: 'confirmation',
    title: `${agent_id} wants to use ${tool_name}`.slice(0, limits.interaction_label_chars),
    body: visibleJson(parameters),
    actions: [
      { id: APPROVE, label: 'Approve' },
      { id: DENY, label: 'Deny' },
    ],
  };
}

function wordsOf({ title, body }: { readonly title?: unknown; readonly body?: unknown }): string {
  return JSON.stringify([title, body]);
}

function check({ status, action }: InteractionOutcome, tool_name: string): void {
  if (status === 'submitted' && action === APPROVE) return;
  if (status === 'submitted') throw denied(`A person did not allow "${tool_name}".`);
  if (status === 'expired') throw denied(`Nobody allowed "${tool_name}" in time.`);
  throw denied(`The question about "${tool_name}" was closed before anybody answered it.`);
}

function denied(message: string): ApiError {
  return new ApiError('unauthorized', message, { details: { reason: 'TOOL_DENIED' } });
}
