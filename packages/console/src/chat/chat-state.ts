import type { Json } from '@rostra/protocol/wire/json';

export interface Attached {
  readonly name: string;
  readonly mimeType: string;
  /** Signed for a while; null when nobody signed it. */
  readonly url: string | null;
}

export interface UserItem {
  readonly kind: 'user';
  readonly id: string;
  readonly turnId: string;
  /** The record that brought it. */
  readonly seq: number;
  readonly text: string;
  readonly attached: readonly Attached[];
  readonly at: number;
}

export interface SaidItem {
  readonly kind: 'agent';
  readonly id: string;
  readonly turnId: string | null;
  readonly agentId: string;
  readonly text: string;
  readonly reasoning: string;
  readonly isOpen: boolean;
  /** All of it was said, as far as is known: what is not may turn out to be cut off. */
  readonly isWhole: boolean;
  /** Cut off with its turn. */
  readonly fate: 'complete' | 'cancelled' | 'failed';
  readonly isEdited: boolean;
  /** A card, or null. */
  readonly ui: unknown;
  readonly at: number;
}

export interface ToolItem {
  readonly kind: 'tool';
  readonly id: string;
  readonly turnId: string | null;
  readonly name: string;
  readonly parameters: Json;
  readonly result: Json | undefined;
  readonly error: string | null;
  /** Neither result nor error yet, and its turn goes on. */
  readonly isOpen: boolean;
  readonly ui: unknown;
  readonly at: number;
}

export interface FileItem {
  readonly kind: 'file';
  readonly id: string;
  readonly turnId: string | null;
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
  readonly at: number;
}

/** What happened to the session: one quiet line. */
export interface NoticeItem {
  readonly kind: 'notice';
  readonly id: string;
  readonly tone: 'quiet' | 'warning' | 'error';
  readonly text: string;
  readonly hint: string | null;
  readonly at: number;
}

export interface QuestionItem {
  readonly kind: 'question';
  readonly id: string;
  readonly turnId: string | null;
  readonly agentId: string;
  readonly purpose: string;
  readonly form: string;
  readonly request: Json;
  readonly until: number;
  /** Null while it is open. */
  readonly outcome: string | null;
  readonly answer: { readonly action_id: string; readonly values: Readonly<Record<string, Json>> } | null;
  readonly at: number;
}

export interface HandoverItem {
  readonly kind: 'handover';
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
  readonly summary: string;
  readonly until: number;
  readonly outcome: string | null;
  readonly at: number;
}

export type ChatItem = UserItem | SaidItem | ToolItem | FileItem | NoticeItem | QuestionItem | HandoverItem;

/** What was said and not accepted yet. */
export interface ChatInput {
  readonly item: UserItem;
  /** It replaces what stands from this record on; infinite when it replaces nothing. */
  readonly inPlaceFrom: number;
}

export interface ChatTurn {
  readonly id: string;
  readonly agentId: string;
  readonly state: 'queued' | 'running' | 'stopping';
  readonly clientRunId: string | null;
}

/** Everything that the chat shows of one session; folded from its messages, never changed in place. */
export interface ChatState {
  readonly isOpen: boolean;
  readonly agents: readonly string[];
  readonly activeAgentId: string | null;
  readonly turns: readonly ChatTurn[];
  readonly items: readonly ChatItem[];
  /** Inputs whose turn was not accepted yet, by turn. */
  readonly inputs: Readonly<Record<string, ChatInput>>;
}

export const emptyChat: ChatState = {
  isOpen: true,
  agents: [],
  activeAgentId: null,
  turns: [],
  items: [],
  inputs: {},
};

/** The turn that agents work at now: the one that Stop stops. */
export function runningTurn({ turns }: ChatState): ChatTurn | null {
  return turns.find(({ state }) => state !== 'queued') ?? turns[0] ?? null;
}

/** Calls of the client's own tools that nobody has answered. */
export function openToolCalls({ items }: ChatState): QuestionItem[] {
  return items.filter(
    (item): item is QuestionItem =>
      item.kind === 'question' && item.purpose === 'client_tool' && item.outcome === null && item.turnId !== null,
  );
}
