import type { LogRecord } from '@rostra/protocol/record/record';
import type { RunResultType } from '@rostra/protocol/runner/run-result';
import { messageReceived } from '@rostra/protocol/session/event-name';
import type { ArtifactRef, ContentElement, UserInputPayload } from '@rostra/protocol/session/input';
import { isJsonObject, type Json, type JsonObject } from '@rostra/protocol/wire/json';

/** How a message names an artifact. */
export interface AttachedArtifact {
  artifact_id: string;
  name: string;
  mime_type: string;
  size_bytes: number;
  sha256: string;
}

/**
 * One finished message of a session, under the `seq` of the record that finished it (RP-13.2). Its conversation is the
 * session, its cursor the `seq`; both are put in by whoever hands the item out.
 */
export interface TranscriptRow {
  session_id: string;
  seq: number;
  item_id: string;
  /** Which bot and thread of the conversation it belongs to, and who started the turn in which it was said. */
  thread_id: string | null;
  bot_id: string | null;
  actor_id: string | null;
  turn_id: string | null;
  run_id: string | null;
  /** The event that started the turn in which it was said. */
  event_id: string | null;
  event_type: string;
  role: string;
  item_type: string;
  actor: JsonObject | null;
  /** The text, for reading and searching. */
  content: string;
  /** The whole content where it is more than text. */
  content_json: Json;
  attachments: AttachedArtifact[];
  ui_schema: Json;
  created_at: number;
  metadata: JsonObject;
  /** How the client that sent it calls it. */
  client_id: string | null;
  /** What stands from that `seq` on up to here was taken back by this: it is kept, and shown nowhere. */
  supersedes: number | null;
}

/** What an agent said in full, streamed before or not. */
const completed: RunResultType = 'message.completed';
const toolCompleted: RunResultType = 'tool.call.completed';
/** The type of the items that hold what tools gave. */
export const TOOL_RESULT = 'tool_result';

/** What stands for a NUL in texts that are kept beside a log: databases end a text there. */
export const NUL_SHOWN = '\uFFFD';

/** A text as a row keeps it: what is compared with a row is compared so. */
export function keptText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', NUL_SHOWN) : text;
}

/** The row as it can be kept. */
export function keepable(row: TranscriptRow): TranscriptRow {
  row.content = keptText(row.content);
  row.item_id = keptText(row.item_id);
  if (row.client_id !== null) row.client_id = keptText(row.client_id);
  return row;
}

/** How a message came to its end: whole, or cut off with its turn. */
export type Fate = { status: 'complete' } | { status: 'cancelled' } | { status: 'failed'; code: string };

/** An input as it was accepted. */
export function userRow(record: LogRecord, payload: UserInputPayload, turn_id: string): TranscriptRow {
  const { input, client_message_id, branch } = payload;
  const more = input.contents.some((part) => part.type !== 'text');
  const row = blank(record);
  row.item_id = turn_id;
  row.turn_id = turn_id;
  row.event_type = messageReceived;
  row.role = 'user';
  row.actor = { type: 'user', id: record.sender.id };
  row.content = input.text ?? textsOf(input.contents);
  // What is absent in a part is absent in its JSON too.
  row.content_json = more ? JSON.parse(JSON.stringify(input.contents)) : null;
  row.attachments = input.attachments.map(attached);
  row.client_id = client_message_id ?? null;
  row.supersedes = branch?.from_seq ?? null;
  return row;
}

function textsOf(contents: readonly ContentElement[]): string {
  return contents.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
}

interface Said {
  item_id: string;
  agent_id: string;
  role: string;
  content: Json;
  ui_schema: Json;
  fate: Fate;
}

/** What an agent said, in one piece; reasoning has no place in it. */
export function agentRow(record: LogRecord, said: Said): TranscriptRow {
  const { status } = said.fate;
  const code = said.fate.status === 'failed' ? { code: said.fate.code } : {};
  const row = blank(record);
  row.item_id = said.item_id;
  row.run_id = runOf(said.item_id, record.run_id);
  row.event_type = completed;
  row.role = said.role;
  row.actor = { type: 'agent', id: said.agent_id };
  row.content = textOf(said.content);
  row.content_json = typeof said.content === 'string' ? null : said.content;
  row.ui_schema = said.ui_schema;
  if (status !== 'complete') row.metadata = { status, ...code };
  return row;
}

/** What a tool gave, under the id by which clients know its message (RA-6.8). */
export function toolRow(
  record: Extract<LogRecord, { subtype: 'tool.call.completed' }>,
  agent_id: string,
): TranscriptRow {
  const { tool_call_id, tool_name, result, error, ui_schema = null } = record.payload;
  const { turn_id = record.id } = record;
  const given = result ?? null;
  return {
    ...blank(record),
    item_id: `${turn_id}.${tool_call_id}`,
    run_id: record.run_id ?? null,
    event_type: toolCompleted,
    role: 'tool',
    item_type: TOOL_RESULT,
    actor: { type: 'agent', id: agent_id },
    content: error ?? (typeof given === 'string' ? given : JSON.stringify(given)),
    ui_schema,
    metadata: { tool_call_id, tool_name, ...(error !== undefined && { status: 'failed' }) },
  };
}

/** Messages are named after the run that began them; a bracket of the session's own does not name it. */
function runOf(message_id: string, run_id: string | undefined): string | null {
  const end = message_id.lastIndexOf('.m');
  return run_id ?? (end > 0 ? message_id.slice(0, end) : null);
}

/** All rows begin as this one and have its shape. */
function blank(record: LogRecord): TranscriptRow {
  return {
    session_id: record.session_id,
    seq: record.seq,
    item_id: record.id,
    thread_id: null,
    bot_id: null,
    actor_id: null,
    turn_id: record.turn_id ?? null,
    run_id: null,
    event_id: null,
    event_type: '',
    role: '',
    item_type: 'message',
    actor: null,
    content: '',
    content_json: null,
    attachments: [],
    ui_schema: null,
    created_at: record.ts,
    metadata: {},
    client_id: null,
    supersedes: null,
  };
}

function attached({ artifact_id, name, mime_type, size_bytes, sha256 }: ArtifactRef): AttachedArtifact {
  return { artifact_id, name: name ?? '', mime_type, size_bytes, sha256: sha256 ?? '' };
}

/** The text of a message for reading and searching: its own, or that of its parts. */
function textOf(content: Json): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.flatMap((part) => (isJsonObject(part) && typeof part.text === 'string' ? part.text : []));
  return texts.join('\n');
}
