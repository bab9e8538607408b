import type { LogRecord } from '@rostra/protocol/record/record';
import { callsIn } from '@rostra/protocol/session/client-call';
import { limits } from '@rostra/protocol/wire/limits';
import type { SessionStore } from '../store/port.ts';
import type { InteractionStore } from '../store/ports/interaction.ts';
import type { Known } from './known-messages.ts';
import { decodeSegment } from './record-line.ts';
import type { Principal } from './session-gateway.ts';

/** Where answers that came before are found. */
export interface AnswerLog extends Pick<SessionStore, 'readSegments' | 'findTurn'> {
  readonly interactions: InteractionStore;
}

export interface RepeatedAnswer {
  readonly session_id: string;
  readonly principal: Principal;
  /** The questions or calls that the body names. */
  readonly ids: readonly string[];
  readonly message_id: string;
  readonly payload_hash: string;
  readonly known: Known;
}

/** Where the run of an answer went on; null where the same name stood for another body. */
export interface FoundAnswer {
  readonly turn_id: string | null;
  /** Null: from the turn's first record. */
  readonly from_seq: number | null;
}

/** The repeat of an answer goes on where the first one did. */
export async function findAnswer(log: AnswerLog, repeated: RepeatedAnswer): Promise<FoundAnswer | null> {
  const { known, payload_hash, session_id, message_id } = repeated;
  if (known !== true) return known.payload_hash === payload_hash ? { turn_id: known.turn_id, from_seq: null } : null;
  for (const turn_id of await turnsNamed(log, repeated)) {
    const turn = await log.findTurn(turn_id);
    const answer = turn === null ? null : await answerIn(log, session_id, turn.first_seq, message_id);
    if (answer === null) continue;
    if (answer.payload_hash !== payload_hash) return null;
    if (answer.handover !== null) return { turn_id: answer.handover, from_seq: null };
    return { turn_id: answer.opened_seq === null ? null : turn_id, from_seq: (answer.opened_seq ?? 0) + 1 };
  }
  return null;
}

/** The turns whose questions or calls the body names, the newest first. */
async function turnsNamed(log: AnswerLog, { session_id, principal, ids }: RepeatedAnswer): Promise<Set<string>> {
  const turns = new Set<string>();
  for (const id of ids) {
    const row = await log.interactions.get(id);
    if (row?.session_id === session_id && row.turn_id !== null) turns.add(row.turn_id);
  }
  const filter = { workspace_id: principal.workspace_id, session_id, purpose: 'client_tool' as const };
  const { rows } = await log.interactions.page(filter, { limit: limits.page_items });
  for (const { turn_id, request } of rows) {
    const isNamed = callsIn(request).some((call) => ids.includes(call.tool_call_id));
    if (isNamed && turn_id !== null) turns.add(turn_id);
  }
  return turns;
}

/** An answer as it stands in the log. */
interface LoggedAnswer {
  readonly payload_hash: string | null;
  /** Where what it answers was asked; null when it answers no question. */
  readonly opened_seq: number | null;
  /** The turn that it handed over to. */
  readonly handover: string | null;
}

async function answerIn(log: AnswerLog, session_id: string, from: number, id: string): Promise<LoggedAnswer | null> {
  const opened = new Map<string, number>();
  /** Of the questions that the same body answers before the last. */
  let before = 0;
  for await (const record of recordsAfter(log, session_id, from - 1)) {
    if (record.event === 'EVENT' && record.subtype === 'INTERACTION_OPENED') {
      opened.set(record.payload.interaction_id, record.seq);
    }
    if (record.event !== 'CONTROL' || record.mark !== 'in') continue;
    if (record.subtype === 'INTERACTION_ANSWERED' && record.id.startsWith(`${id}:`)) {
      before = Math.max(before, opened.get(record.payload.interaction_id) ?? 0);
    }
    if (record.id !== id) continue;
    if (record.subtype === 'INTERACTION_ANSWERED') {
      const { interaction_id, payload_hash = null } = record.payload;
      const asked = opened.get(interaction_id);
      return { payload_hash, opened_seq: asked === undefined ? null : Math.max(asked, before), handover: null };
    }
    if (record.subtype !== 'HANDOVER_CONFIRM' && record.subtype !== 'HANDOVER_REJECT') return null;
    const { payload_hash = null } = record.payload;
    const handover = record.subtype === 'HANDOVER_CONFIRM' ? `${record.tx_id ?? ''}.turn` : null;
    return { payload_hash, opened_seq: null, handover };
  }
  return null;
}

async function* recordsAfter(log: AnswerLog, session_id: string, seq: number): AsyncGenerator<LogRecord> {
  let at = seq;
  for (;;) {
    const segments = await log.readSegments(session_id, at, limits.sse_buffer_bytes);
    const last = segments.at(-1)?.last_seq;
    if (last === undefined || last <= at) return;
    for (const segment of segments) {
      for (const record of decodeSegment(session_id, segment)) if (record.seq > at) yield record;
    }
    at = last;
  }
}
