import { isJsonObject, type Json } from '@rostra/protocol/wire/json';
import type { TranscriptRow } from './transcript-row.ts';

/** A message of the log by a name under which clients send it back. */
export interface SaidMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'tool';
  readonly seq: number;
  /** What a person said: their words, and the files of parts that are none. Nobody compares what agents say. */
  readonly text: string;
  readonly media: readonly string[];
}

type Named = Pick<
  TranscriptRow,
  'seq' | 'item_id' | 'turn_id' | 'client_id' | 'role' | 'item_type' | 'content' | 'content_json'
>;

/** The item type of what a tool gave back. */
const TOOL_RESULT = 'tool_result';

const none: readonly string[] = [];

/** What a part shows: a file of the host's, or what its url leads to. */
function fileOf(part: Json): string[] {
  if (!isJsonObject(part)) return [''];
  const { type, artifact, url } = part;
  if (type === 'text') return [];
  const file = isJsonObject(artifact) ? artifact : {};
  const name = file.artifact_id ?? url;
  return [typeof name === 'string' ? name : ''];
}

function mediaIn({ content_json }: Named): readonly string[] {
  return Array.isArray(content_json) ? content_json.flatMap(fileOf) : none;
}

/** Every name of a row: a client has its own for what it sent, the host's for the rest, and those of tool calls. */
export function namesOf(row: Named): SaidMessage[] {
  const { seq, item_id, turn_id, client_id, role, item_type } = row;
  if (role === 'tool' && item_type === TOOL_RESULT) {
    const call = turn_id !== null && item_id.startsWith(`${turn_id}.`) ? item_id.slice(turn_id.length + 1) : item_id;
    return [item_id, call].map((id) => ({ id, role: 'tool', seq, text: '', media: none }));
  }
  if (item_type !== 'message') return [];
  if (role !== 'user') return [{ id: item_id, role: 'assistant', seq, text: '', media: none }];
  const said: SaidMessage = { id: item_id, role: 'user', seq, text: row.content, media: mediaIn(row) };
  return client_id === null ? [said] : [said, { ...said, id: client_id }];
}
