import type { AguiInput, AguiMessage, AguiResume } from '@rostra/protocol/run-api/agui-input';
import type { RunAgentInput } from '@rostra/protocol/run-api/run-agent-input';
import { RunRule } from '@rostra/protocol/run-api/run-rules';
import { keptText } from '../projection/transcript-row.ts';
import { type Asked, runInputOf, type ToolResult } from './projected-input.ts';
import { leadsTo, mediaOf, textOf } from './projected-parts.ts';

/** A message of the log, by the id under which a client echoes it. */
export interface KnownMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  /** Where it stands in the transcript. */
  readonly seq: number;
  /** What a person said: their words, and the files of parts that are none. */
  readonly text: string;
  readonly media: readonly string[];
}

/** Something that waits for somebody's word; the calls of a client's tools are such a question. */
export interface OpenAsking {
  readonly interaction_id: string;
  readonly purpose: string;
  readonly turn_id: string | null;
  readonly tool_call_ids: readonly string[];
  /** The client was told to answer it before anything else. */
  readonly interrupts: boolean;
}

/** What the host knows of a thread, as far as a body speaks of it. */
export interface KnownThread {
  /** Nothing was said in it yet. */
  readonly isNew: boolean;
  /** By the id of the message; tools also by the id of their call. */
  find(role: KnownMessage['role'], id: string): KnownMessage | null;
  readonly open: readonly OpenAsking[];
}

/** A body as the one thing that it asks for. */
export type Projection =
  | (ProjectedTurn & { readonly kind: 'turn' })
  | (ProjectedTurn & { readonly kind: 'regenerate' | 'edit'; readonly from_seq: number })
  | { readonly kind: 'resume'; readonly answers: readonly AguiResume[]; readonly results: readonly ToolResult[] }
  | { readonly kind: 'continuation'; readonly results: readonly ToolResult[] }
  | { readonly kind: 'echo' }
  /** Questions stand open that the body does not answer. */
  | { readonly kind: 'interrupted'; readonly open: readonly string[] }
  /** A rule of the contract is broken. */
  | { readonly kind: 'refused'; readonly message: string };

export interface ProjectedTurn {
  /** By the contract's names; its rules are yet to be checked. */
  readonly input: RunAgentInput;
  /** Messages that only their client vouches for, and that no turn is made of. */
  readonly dropped: number;
  /** What the body answers beside its new message. */
  readonly answers: readonly AguiResume[];
  readonly results: readonly ToolResult[];
  /** Turns that wait for results which the client gave up on: it went on without them. */
  readonly abandoned: readonly string[];
}

type Spoken = Extract<AguiMessage, { role: KnownMessage['role'] }>;
type UserSaid = Extract<AguiMessage, { role: 'user' }>;

function isSpoken(message: AguiMessage): message is Spoken {
  return message.role === 'user' || message.role === 'assistant' || message.role === 'tool';
}

function isUser(message: Spoken): message is UserSaid {
  return message.role === 'user';
}

/** Whether a person says again what they have said. */
export function isSame(user: UserSaid, known: KnownMessage): boolean {
  if (known.text !== keptText(textOf(user.content))) return false;
  const media = mediaOf(user.content);
  return media.length === known.media.length && media.every((url, index) => leadsTo(url, known.media[index] ?? ''));
}

/**
 * Whether the log has a message. A call of a tool without a message of its own makes one under the id of the call, and
 * the results of a client's own tools have ids that only the client knows.
 */
function isKnown(message: Spoken, known: KnownThread): boolean {
  const found = known.find(message.role, message.id);
  if (message.role === 'user') return found !== null && isSame(message, found);
  if (found !== null) return true;
  if (message.role === 'tool') return known.find('tool', message.toolCallId) !== null;
  const calls = [message.id, ...(message.toolCalls ?? []).map(({ id }) => id)];
  return calls.some((id) => known.find('tool', id) !== null);
}

/** What stands behind the last message that both sides have. */
function tailOf(messages: readonly Spoken[], known: KnownThread): readonly Spoken[] {
  if (known.isNew) return messages;
  return messages.slice(messages.findLastIndex((message) => isKnown(message, known)) + 1);
}

/** What came of the calls that somebody waits for. */
function resultsIn(tail: readonly Spoken[], waiting: readonly OpenAsking[]): ToolResult[] {
  if (waiting.length === 0) return [];
  const calls = new Set(waiting.flatMap(({ tool_call_ids }) => tool_call_ids));
  const results = new Map<string, ToolResult>();
  for (const message of tail) {
    if (message.role !== 'tool' || !calls.has(message.toolCallId)) continue;
    const { toolCallId: tool_call_id, content, error } = message;
    results.set(tool_call_id, { tool_call_id, content: textOf(content), ...(error && { error }) });
  }
  return [...results.values()];
}

/** Whoever goes on without the results that a run waits for will not send them any more. */
function abandonedBy(results: readonly ToolResult[], waiting: readonly OpenAsking[]): string[] {
  if (waiting.length === 0) return [];
  const given = new Set(results.map(({ tool_call_id }) => tool_call_id));
  const left = waiting.filter(({ tool_call_ids }) => tool_call_ids.some((id) => !given.has(id)));
  return left.flatMap(({ turn_id }) => turn_id ?? []);
}

/** The questions that a body leaves open though it was told to answer them. */
function unanswered(known: KnownThread, answers: readonly AguiResume[]): string[] {
  if (known.open.length === 0) return [];
  const answered = new Set(answers.map(({ interruptId }) => interruptId));
  const asking = known.open.filter(({ purpose, interrupts }) => interrupts && purpose !== 'client_tool');
  return asking.map(({ interaction_id }) => interaction_id).filter((id) => !answered.has(id));
}

/** Decides what an AG-UI body asks for; it holds a whole thread, of which the host has all but the end. */
export function projectAgui(body: AguiInput, known: KnownThread): Projection {
  const messages = body.messages.filter(isSpoken);
  const tail = tailOf(messages, known);
  const answers = body.resume ?? [];
  const open = unanswered(known, answers);
  if (open.length > 0) return { kind: 'interrupted', open };
  const waiting = known.open.filter(({ purpose }) => purpose === 'client_tool');
  const results = resultsIn(tail, waiting);
  const users = tail.filter(isUser);
  const user = users.at(-1);
  const asked: Asked = { body, results };
  if (user !== undefined) {
    if (users.length > 1 && !known.isNew) return { kind: 'refused', message: RunRule.oneUser };
    const turn: ProjectedTurn & { kind: 'turn' } = {
      kind: 'turn',
      input: runInputOf(user, asked),
      dropped: tail.length - 1 - results.length,
      answers,
      results,
      abandoned: abandonedBy(results, waiting),
    };
    const before = known.isNew ? null : known.find('user', user.id);
    return before === null ? turn : { ...turn, kind: 'edit', from_seq: before.seq };
  }
  if (answers.length > 0) return { kind: 'resume', answers, results };
  if (results.length > 0) return { kind: 'continuation', results };
  return withoutNews(asked, messages.at(-1), known);
}

/** Everything in the body is known: either its last message is to be answered once more, or nothing is asked for. */
function withoutNews(asked: Asked, last: Spoken | undefined, known: KnownThread): Projection {
  if (last === undefined) return { kind: 'refused', message: RunRule.oneUser };
  const before = last.role === 'user' ? known.find('user', last.id) : null;
  if (last.role !== 'user' || before === null) return { kind: 'echo' };
  const waiting = known.open.filter(({ purpose }) => purpose === 'client_tool');
  return {
    kind: 'regenerate',
    from_seq: before.seq,
    input: runInputOf(last, asked),
    dropped: 0,
    answers: [],
    results: [],
    abandoned: abandonedBy([], waiting),
  };
}
