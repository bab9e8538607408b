import { CHECKPOINT_KEY } from '@rostra/protocol/runner/checkpoint';
import type { AgentRunState, BootstrapContext, InlineContextPolicy } from '@rostra/protocol/runner/run-context';
import type { ArtifactRef } from '@rostra/protocol/session/input';
import { type Json, jsonObjectOf } from '@rostra/protocol/wire/json';
import { utf8Length } from '@rostra/protocol/wire/utf8-length';
import { type BootstrapPlan, isTail } from './bootstrap-plan.ts';
import type { TranscriptCursors } from './transcript-cursor.ts';

/** A finished message of the conversation, as the transcript has it. */
export interface EarlierMessage {
  readonly seq: number;
  readonly turn_id: string | null;
  readonly role: string;
  readonly item_type: string;
  readonly content: string;
  readonly content_json: Json;
  readonly attachments: readonly ArtifactRef[];
}

/** The newest messages of the conversation, oldest first, and whether there are older ones. */
export interface RecentMessages {
  readonly rows: readonly EarlierMessage[];
  readonly has_more: boolean;
}

export interface Inlined {
  readonly bootstrap: BootstrapContext | null;
  readonly policy: InlineContextPolicy;
}

interface Checkpoint {
  readonly summary: string;
  /** The last message that it covers. */
  readonly covers: number;
}

/** The runner's own stored checkpoint; the host itself never makes a summary (CX-5.5). */
function checkpointOf({ conversation }: AgentRunState, cursors: TranscriptCursors | null): Checkpoint | null {
  const { summary, covers_until } = jsonObjectOf(conversation[CHECKPOINT_KEY]);
  if (typeof summary !== 'string') return null;
  if (typeof covers_until === 'number') return { summary, covers: covers_until };
  return { summary, covers: typeof covers_until === 'string' ? (cursors?.open(covers_until) ?? 0) : 0 };
}

/** As many of the newest rows as both bounds allow, oldest first. */
function tailOf(rows: readonly EarlierMessage[], { max_items, max_bytes }: BootstrapPlan): EarlierMessage[] {
  const tail: EarlierMessage[] = [];
  let bytes = 0;
  for (const row of rows.toReversed()) {
    bytes += utf8Length(JSON.stringify(messageOf(row)));
    if (tail.length >= max_items || bytes > max_bytes) break;
    tail.push(row);
  }
  return tail.reverse();
}

function messageOf({ role, content, content_json }: EarlierMessage): Json {
  return { role, content: content_json ?? content };
}

function inlined(
  tail: readonly EarlierMessage[],
  summary: string | null,
  cursors: TranscriptCursors | null,
): BootstrapContext {
  const [first, last] = [tail[0], tail.at(-1)];
  return {
    messages: tail.map(messageOf),
    summary,
    artifacts: tail.flatMap(({ attachments }) => [...attachments]),
    metadata: {
      first_cursor: first === undefined ? null : (cursors?.seal(first.seq) ?? null),
      last_cursor: last === undefined ? null : (cursors?.seal(last.seq) ?? null),
    },
  };
}

/**
 * What is inlined beside the event itself (RP-4.29, RP-4.33): nothing by default, else a window of messages. The current
 * turn's own message is the input and is not repeated; what is no message is never made one (CX-4.10).
 */
export function inline(
  plan: BootstrapPlan,
  recent: RecentMessages | null,
  turn_id: string,
  state: AgentRunState,
  cursors: TranscriptCursors | null = null,
): Inlined {
  if (!isTail(plan.mode) || recent === null) {
    const mode = isTail(plan.mode) ? 'current_event' : plan.mode;
    const delivered_count = mode === 'none' ? 0 : 1;
    return { bootstrap: null, policy: policyOf({ mode, delivered_count, reason: plan.reason }) };
  }
  const checkpoint = plan.mode === 'summary_tail' ? checkpointOf(state, cursors) : null;
  const covered = checkpoint?.covers ?? -1;
  const rows = recent.rows.filter((row) => row.turn_id !== turn_id && row.item_type === 'message' && row.seq > covered);
  const tail = tailOf(rows, plan);
  const fellBack = plan.mode === 'summary_tail' && checkpoint === null;
  return {
    bootstrap: inlined(tail, checkpoint?.summary ?? null, cursors),
    policy: {
      mode: checkpoint === null ? 'recent_tail' : 'summary_tail',
      delivered_count: tail.length,
      source_total_count: recent.has_more ? null : rows.length,
      messages_complete: checkpoint === null && !recent.has_more && tail.length === rows.length,
      reason: fellBack ? 'The runner has stored no summary.' : null,
    },
  };
}

function policyOf(known: Pick<InlineContextPolicy, 'mode' | 'delivered_count' | 'reason'>): InlineContextPolicy {
  return {
    mode: known.mode,
    delivered_count: known.delivered_count,
    source_total_count: null,
    messages_complete: false,
    reason: known.reason,
  };
}
