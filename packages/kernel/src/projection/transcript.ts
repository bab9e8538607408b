import type { LogRecord } from '@rostra/protocol/record/record';
import type { UserInputPayload } from '@rostra/protocol/session/input';
import type { SubtypeOf } from '@rostra/protocol/session/message';
import { chunkText } from '../session/chunk.ts';
import { TranscriptBranches } from './transcript-branches.ts';
import { TranscriptEnd } from './transcript-end.ts';
import { agentRow, type Fate, keepable, type TranscriptRow, toolRow, userRow } from './transcript-row.ts';
import { TurnOrigins } from './turn-origins.ts';

interface OpenMessage {
  message_id: string;
  text: string;
}

/**
 * From the records of a session to its finished messages (SR-INV-L5). Reads only what frontends were shown: text that
 * was withheld is in the log, not here. The same records give the same rows, however they were cut into commits.
 */
export class TranscriptFold {
  /** Of the turns that lived in the last step. */
  readonly origins = new TurnOrigins();
  /** Of what is written; whoever writes the rows adds them. A part of a log that is read again does not show its end. */
  readonly end: TranscriptEnd;
  readonly #branches = new TranscriptBranches();
  #open: OpenMessage | null = null;

  /** `isWhole`: nothing was written before. */
  constructor(isWhole = false) {
    this.end = new TranscriptEnd(isWhole);
  }

  /** A chunk that was forwarded as it came. There are more of them than of all else. */
  hear(chunk: Extract<LogRecord, { subtype: 'chunk' }>): void {
    if (this.#open !== null && this.#open.message_id === chunk.payload.message_id)
      this.#open.text += chunkText(chunk.payload);
  }

  /** One step: what came in and what was published. Returns the messages that it finished. */
  take(input: LogRecord, outs: readonly LogRecord[]): TranscriptRow[] {
    this.origins.step(input, outs);
    if (input.mark === 'suppressed') return [];
    const made = input.mark === 'both' ? this.#forwarded(input) : this.#published(input, outs);
    const rows = this.#branches.step(input, outs, made);
    for (const row of rows) {
      keepable(row);
      const { event_id, thread_id, bot_id, actor_id } = this.origins.of(row.turn_id);
      row.event_id = event_id;
      row.thread_id = thread_id;
      row.bot_id = bot_id;
      row.actor_id = actor_id;
    }
    return rows;
  }

  #published(input: LogRecord, outs: readonly LogRecord[]): TranscriptRow[] {
    const rows: TranscriptRow[] = [];
    for (const out of outs) {
      if (out.event === 'AGENT_OUTPUT') this.#output(input, out, outs, rows);
      else if (out.event === 'EVENT' && out.subtype === 'TURN_ACCEPTED' && input.event === 'USER_INPUT') {
        if (isSpoken(input.payload)) rows.push(userRow(input, input.payload, out.turn_id ?? input.id));
      }
    }
    return rows;
  }

  #forwarded(record: LogRecord): TranscriptRow[] {
    if (record.event !== 'AGENT_OUTPUT') return [];
    if (record.subtype === 'chunk') this.hear(record);
    if (isAmendment(record)) return [amended(record, record.sender.id)];
    if (record.subtype === 'tool.call.completed') return [toolRow(record, record.sender.id)];
    return record.subtype === 'message' ? [whole(record, record.sender.id)] : [];
  }

  #output(
    input: LogRecord,
    out: Extract<LogRecord, { event: 'AGENT_OUTPUT' }>,
    outs: readonly LogRecord[],
    rows: TranscriptRow[],
  ): void {
    if (out.subtype === 'message.started') this.#open = { message_id: out.payload.message_id, text: '' };
    if (out.subtype === 'chunk') this.hear(out);
    if (out.subtype === 'message.ended') {
      const open = this.#open;
      this.#open = null;
      if (open === null || open.text === '') return;
      const { message_id: item_id, agent_id } = out.payload;
      const fate = fateOf(outs, out.turn_id);
      rows.push(agentRow(out, { item_id, agent_id, role: 'assistant', content: open.text, ui_schema: null, fate }));
    }
    if (isAmendment(out)) rows.push(amended(out, input.sender.id));
    if (out.subtype === 'tool.call.completed') rows.push(toolRow(out, input.sender.id));
    if (out.subtype === 'message') {
      // The whole of a message that was streamed stands in its place.
      if (rows.at(-1)?.item_id === out.payload.message_id) rows.pop();
      rows.push(whole(out, input.sender.id));
    }
  }
}

/** An event that is no message is nobody's words, whatever it carries (CX-4.10). */
function isSpoken({ event }: UserInputPayload): boolean {
  return event === undefined || event.event_type === 'message.received';
}

function whole(record: Extract<LogRecord, { subtype: 'message' }>, agent_id: string): TranscriptRow {
  const { message_id: item_id, role, content, ui_schema = null } = record.payload;
  return agentRow(record, { item_id, agent_id, role, content, ui_schema, fate: { status: 'complete' } });
}

type Output<S extends SubtypeOf<'AGENT_OUTPUT'>> = Extract<LogRecord, { subtype: S }>;
type Amendment = Output<'message.edited' | 'message.deleted'>;

function isAmendment(record: LogRecord): record is Amendment {
  return record.subtype === 'message.edited' || record.subtype === 'message.deleted';
}

/** What was said stays as it was; that it was changed or taken back is an item of its own, after it (CX-6.5). */
function amended(record: Amendment, agent_id: string): TranscriptRow {
  const content = record.subtype === 'message.edited' ? record.payload.content : '';
  const { message_id: item_id } = record.payload;
  const said = {
    item_id,
    agent_id,
    role: 'assistant',
    content,
    ui_schema: null,
    fate: { status: 'complete' } as const,
  };
  return { ...agentRow(record, said), item_type: record.subtype };
}

/** What the same step did to the turn: a message that it cut off is marked. */
function fateOf(outs: readonly LogRecord[], turn_id: string | undefined): Fate {
  for (const out of outs) {
    if (out.turn_id !== turn_id) continue;
    if (out.event === 'EVENT' && out.subtype === 'CANCELED') return { status: 'cancelled' };
    if (out.event === 'CONTROL' && out.subtype === 'CANCEL' && out.tx_id !== undefined) return { status: 'cancelled' };
    if (out.event === 'EVENT' && out.subtype === 'TURN_FAILED') return { status: 'failed', code: out.payload.code };
  }
  return { status: 'complete' };
}

/** Every finished message of a log, read from its beginning or from where no message is open. */
export function transcriptOf(records: readonly LogRecord[]): TranscriptRow[] {
  const fold = new TranscriptFold();
  const rows: TranscriptRow[] = [];
  for (const [input, outs] of stepsOf(records)) rows.push(...fold.take(input, outs));
  return rows;
}

/** A log as its steps: each record that came in, with what it made the session publish. */
export function* stepsOf(records: readonly LogRecord[]): Generator<[input: LogRecord, outs: LogRecord[]]> {
  let input: LogRecord | null = null;
  let outs: LogRecord[] = [];
  for (const record of records) {
    if (record.mark === 'out') {
      outs.push(record);
      continue;
    }
    if (input !== null) yield [input, outs];
    input = record;
    outs = [];
  }
  if (input !== null) yield [input, outs];
}
