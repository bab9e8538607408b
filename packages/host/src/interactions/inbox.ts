import { answerFault, formOf } from '@rostra/kernel/interaction/answer';
import type { InteractionRow } from '@rostra/kernel/projection/interaction-rows';
import type {
  AnswerBody,
  InteractionItem,
  InteractionPage,
  InteractionStatus,
} from '@rostra/protocol/run-api/interaction';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { isGone } from '../session/deleted-session.ts';
import type { Principal, SessionGateway } from '../session/session-gateway.ts';
import type { SessionStore } from '../store/port.ts';
import type { InteractionStore } from '../store/ports/interaction.ts';

export interface InboxOptions {
  readonly store: Pick<SessionStore, 'readHead'> & { readonly interactions: InteractionStore };
  readonly gateway: Pick<SessionGateway, 'answer'>;
  /** The host's clock: what a client thinks of the time is nothing to an expiry. */
  readonly now: () => number;
}

export interface InboxQuery {
  readonly status?: InteractionStatus | undefined;
  readonly session_id?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/**
 * The questions that a person can see and answer: those of their own sessions, or of the workspace that they run.
 *
 * I1. An answer counts once, and only while the question is open: the session's step decides, not a row.
 * I2. What belongs to somebody else is not there.
 */
export class Inbox {
  readonly #options: InboxOptions;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  async page(principal: Principal, { status, session_id, cursor, limit }: InboxQuery): Promise<InteractionPage> {
    const filter = {
      workspace_id: principal.workspace_id,
      ...(principal.is_admin !== true && { owner_id: principal.user_id }),
      ...(session_id !== undefined && { session_id }),
      ...(status !== undefined && { status }),
      // What a client is to run is nothing that a person could answer.
      except: 'client_tool' as const,
    };
    const place = { ...(cursor !== undefined && { before: cursor }), ...(limit !== undefined && { limit }) };
    const { rows, has_more } = await this.#options.store.interactions.page(filter, place);
    return { items: rows.map(itemOf), nextCursor: has_more ? (rows.at(-1)?.interaction_id ?? null) : null };
  }

  async get(principal: Principal, interaction_id: string): Promise<InteractionItem> {
    return itemOf(await this.#find(principal, interaction_id));
  }

  async answer(principal: Principal, interaction_id: string, body: AnswerBody): Promise<InteractionItem> {
    const answer = { action_id: body.actionId, values: body.values };
    const row = await this.#find(principal, interaction_id);
    const why = closedBecause(row, this.#options.now());
    if (why !== null) throw notOpen(why);
    const fault = answerFault(formOf(row), answer);
    if (fault !== null) throw new ApiError(fault.code, fault.message, fault);
    const { session_id, purpose } = row;
    const isTaken = await this.#options.gateway.answer({ session_id, principal, interaction_id, purpose, answer });
    if (!isTaken) throw notOpen('This question is not open any more.');
    return this.get(principal, interaction_id);
  }

  async #find({ workspace_id, user_id, is_admin = false }: Principal, interaction_id: string): Promise<InteractionRow> {
    const row = await this.#options.store.interactions.get(interaction_id);
    const isAsked = row?.workspace_id === workspace_id && row.purpose !== 'client_tool';
    // What a deleted session asked is gone with it, though its row may still be there.
    const head = isAsked ? await this.#options.store.readHead(row.session_id).catch(nullIfGone) : null;
    if (row === null || head === null || !(is_admin || head.owner_id === user_id)) {
      throw new ApiError('not_found', 'there is no such question');
    }
    return row;
  }
}

function nullIfGone(error: unknown): null {
  if (isGone(error)) return null;
  throw error;
}

const closed = {
  answered: 'This question was answered already.',
  expired: 'This question has expired.',
  run_ended: 'The run that asked this has ended.',
  run_lost: 'The run that asked this was lost.',
  withdrawn: 'This question was withdrawn.',
} as const;

/** A question whose time is up is closed, whether or not the session was woken for it yet. */
function closedBecause({ status, expires_at }: InteractionRow, now: number): string | null {
  if (status !== 'pending') return closed[status];
  return now >= expires_at ? closed.expired : null;
}

function notOpen(message: string): ApiError {
  const hint = 'Look at the pending questions again.';
  return new ApiError('invalid_argument', message, { details: { reason: 'INTERACTION_NOT_OPEN', hint } });
}

function itemOf(row: InteractionRow): InteractionItem {
  const { title, actions } = formOf(row);
  const { answer, resolved_at } = row;
  return {
    id: row.interaction_id,
    purpose: row.purpose,
    kind: row.kind,
    sessionId: row.session_id,
    taskId: row.turn_id,
    runId: row.run_id,
    agentId: row.agent_id,
    title,
    request: row.request,
    actions,
    status: row.status,
    answer: answer === null ? null : { actionId: answer.action_id, values: answer.values },
    answeredBy: row.answered_by,
    createdAt: timeText(row.created_at),
    expiresAt: timeText(row.expires_at),
    resolvedAt: resolved_at === null ? null : timeText(resolved_at),
  };
}

function timeText(at: number): string {
  return new Date(at).toISOString();
}
