import { ContentElement, type ModelMessage, type TranscriptItem } from '@rostra/runner-sdk';
import { storedCheckpoint } from './checkpoint.ts';
import { cut } from './cut.ts';
import { fileElement, plain } from './input.ts';
import { material } from './material.ts';
import { patiently } from './patience.ts';
import { messageTokens } from './tokens.ts';
import type { TurnRun } from './turn-run.ts';

/** A message of an earlier turn, and its place; null where the message of this turn stands before that. */
export interface PastMessage {
  readonly seq: number | null;
  readonly message: ModelMessage;
}

/** What was said before this turn: a summary of the older part, if there is one, and the rest, oldest first. */
export interface Past {
  readonly summary: string | null;
  readonly messages: PastMessage[];
}

const ITEMS_MAX = 2000;
/** How many times the room of the model is read at most: what is older can only have been summed up. */
const ROOMS_MAX = 3;
const RESULT_CHARS = 1500;
/** Images and files of earlier messages that the model still sees. */
const FILES_MAX = 4;

const nothing: Past = { summary: null, messages: [] };

export async function pastOf(run: TurnRun, room: number): Promise<Past> {
  const { available_apis, has_history_before, transcript_seq } = run.context.context;
  if (!available_apis.history_page || (transcript_seq !== null && !has_history_before)) return nothing;
  const checkpoint = await storedCheckpoint(run);
  const covers = checkpoint?.covers_until ?? null;
  const { items, end } = await patiently(run.tools, () => read(run, covers, room * ROOMS_MAX));
  // A summary of what was taken back since, or of a place that nobody finds any more, is worth nothing.
  const holds = end !== 'beginning';
  return { summary: holds ? (checkpoint?.summary ?? null) : null, messages: pastMessages(run, items) };
}

interface Reading {
  readonly items: TranscriptItem[];
  /** `beginning`: where the summary ends is no place of this conversation. */
  readonly end: 'covered' | 'enough' | 'beginning';
}

/** Backwards to where the summary ends, or as far as it makes sense; newest first. */
async function read({ tools }: TurnRun, covers: string | number | null, tokens: number): Promise<Reading> {
  const items: TranscriptItem[] = [];
  let left = tokens;
  let isPassed = false;
  for await (const item of tools.api.history.items()) {
    if (covers !== null && (item.cursor === covers || item.seq === covers)) return { items, end: 'covered' };
    isPassed ||= typeof covers === 'number' && item.seq < covers;
    items.push(item);
    left -= Math.ceil(item.content.length / 4);
    if (left < 0 || items.length === ITEMS_MAX) return { items, end: isPassed ? 'beginning' : 'enough' };
  }
  return { items, end: 'beginning' };
}

function pastMessages({ context }: TurnRun, items: readonly TranscriptItem[]): PastMessage[] {
  const { event_id } = context.event;
  const own = items.find((item) => item.event_id === event_id && item.role === 'user');
  let files = FILES_MAX;
  const messages = items.flatMap((item): PastMessage[] => {
    if (item.event_id === event_id) return [];
    // What people said after the message of this turn has a turn of its own, or steers this one.
    if (item.role === 'user' && own !== undefined && item.seq > own.seq) return [];
    const message = messageOf(item, files);
    if (message === null) return [];
    if (Array.isArray(message.content)) files -= message.content.filter(({ type }) => type !== 'text').length;
    return [{ seq: own !== undefined && item.seq > own.seq ? null : item.seq, message }];
  });
  return messages.reverse();
}

function messageOf(item: TranscriptItem, files: number): ModelMessage | null {
  const { role, item_type, content, metadata } = item;
  if (item_type === 'tool_result') {
    const tool = typeof metadata.tool_name === 'string' ? metadata.tool_name : '';
    return { role: 'user', content: material('tool_result', { tool }, cut(content, RESULT_CHARS)) };
  }
  if (item_type !== 'message' || (role !== 'user' && role !== 'assistant')) return null;
  const parts = partsOf(item);
  const whole = parts.length <= files ? plain(withText(content, parts)) : named(content, parts);
  if (whole.length === 0) return null;
  const isCut = role === 'assistant' && metadata.status !== undefined && typeof whole === 'string';
  return { role, content: isCut ? `${whole}\n[This answer was cut off.]` : whole };
}

/** Its images and files. */
function partsOf({ content_json, attachments }: TranscriptItem): ContentElement[] {
  const given = Array.isArray(content_json) ? content_json : [];
  const parts = given.flatMap((part) => ContentElement.safeParse(part).data ?? []);
  const media = parts.filter(({ type }) => type !== 'text');
  return media.length > 0 ? media : attachments.map(fileElement);
}

function withText(text: string, parts: ContentElement[]): ContentElement[] {
  return text === '' ? parts : [{ type: 'text', text }, ...parts];
}

function named(text: string, parts: readonly ContentElement[]): string {
  const names = parts.map((part) => {
    const artifact = 'artifact' in part ? part.artifact : undefined;
    return `[${part.type}: ${artifact?.name ?? ''} ${artifact?.artifact_id ?? ''}]`;
  });
  return [text, ...names].filter((line) => line !== '').join('\n');
}

export function pastTokens(past: readonly PastMessage[]): number {
  return past.reduce((sum, { message }) => sum + messageTokens(message), 0);
}
