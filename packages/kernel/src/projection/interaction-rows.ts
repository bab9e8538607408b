import type { LogRecord } from '@rostra/protocol/record/record';
import type { InteractionKind, InteractionStatus, InteractionSubject } from '@rostra/protocol/run-api/interaction';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';

/** A question to a person as the inbox shows it. It is pending until exactly one thing resolves it. */
export interface InteractionRow {
  interaction_id: string;
  workspace_id: string;
  session_id: string;
  turn_id: string | null;
  run_id: string | null;
  agent_id: string;
  purpose: InteractionSubject;
  kind: InteractionKind;
  request: Json;
  status: InteractionStatus;
  answer: { action_id: string; values: JsonObject } | null;
  answered_by: string | null;
  created_at: number;
  expires_at: number;
  resolved_at: number | null;
}

export type Resolution = Pick<InteractionRow, 'interaction_id' | 'status' | 'answer' | 'answered_by' | 'resolved_at'>;
/** What a record does to the inbox: a new row, or the one end of a row that is there. */
export type InteractionChange =
  | { readonly opened: InteractionRow; readonly resolved?: never }
  | { readonly resolved: Resolution; readonly opened?: never };

type Opening = Omit<InteractionRow, 'workspace_id' | 'status' | 'answer' | 'answered_by' | 'resolved_at'>;

/** What one published record means for the inbox; null for nearly all of them. */
export function interactionChange(record: LogRecord, workspace_id: string): InteractionChange | null {
  if (record.mark !== 'out') return null;
  const opened = openingOf(record);
  if (opened !== null) {
    const open = { status: 'pending' as const, answer: null, answered_by: null, resolved_at: null };
    return { opened: { ...opened, workspace_id, ...open } };
  }
  const resolved = resolutionOf(record);
  return resolved === null ? null : { resolved };
}

function openingOf(record: LogRecord): Opening | null {
  const { session_id, turn_id = null, tx_id = '', ts: created_at } = record;
  if (record.event === 'EVENT' && record.subtype === 'INTERACTION_OPENED') {
    const { interaction_id, purpose, kind, agent_id, run_id, until: expires_at, request } = record.payload;
    return {
      interaction_id,
      session_id,
      turn_id,
      run_id,
      agent_id,
      purpose,
      kind: kindOf(kind),
      request,
      created_at,
      expires_at,
    };
  }
  if (record.event !== 'CONTROL' || record.subtype !== 'HANDOVER_UI_PROMPT') return null;
  const { until: expires_at, from_agent_id: agent_id, target_agent_id, reason, summary, output } = record.payload;
  const request = { from_agent_id: agent_id, target_agent_id, reason, summary, output };
  return {
    interaction_id: tx_id,
    session_id,
    turn_id,
    run_id: null,
    agent_id,
    purpose: 'handover',
    kind: 'confirmation',
    request,
    created_at,
    expires_at,
  };
}

/** A log may hold the word of a host that knew more kinds. */
function kindOf(kind: string): InteractionKind {
  return kind === 'confirmation' || kind === 'choice' ? kind : 'form';
}

const handovers = { confirmed: 'answered', rejected: 'answered', timeout: 'expired', aborted: 'withdrawn' } as const;

function resolutionOf(record: LogRecord): Resolution | null {
  const { ts: resolved_at, tx_id = '' } = record;
  if (record.event === 'EVENT' && record.subtype === 'INTERACTION_RESOLVED') {
    const { interaction_id, outcome: status, answer, answered_by } = record.payload;
    return { interaction_id, status, answer, answered_by, resolved_at };
  }
  if (record.event !== 'CONTROL' || record.subtype !== 'HANDOVER_RESOLVED') return null;
  const { outcome, answered_by = null } = record.payload;
  const status = handovers[outcome];
  const action_id = outcome === 'confirmed' ? 'confirm' : 'reject';
  const answer = status === 'answered' ? { action_id, values: {} } : null;
  return { interaction_id: tx_id, status, answer, answered_by, resolved_at };
}

/** The inbox rows of a whole log, in the order in which they were asked. */
export function interactionRowsOf(records: readonly LogRecord[], workspace_id: string): InteractionRow[] {
  const rows = new Map<string, InteractionRow>();
  for (const record of records) {
    const change = interactionChange(record, workspace_id);
    if (change === null) continue;
    if (change.opened !== undefined) rows.set(change.opened.interaction_id, change.opened);
    else {
      const row = rows.get(change.resolved.interaction_id);
      if (row?.status === 'pending') rows.set(row.interaction_id, { ...row, ...change.resolved });
    }
  }
  return [...rows.values()];
}
