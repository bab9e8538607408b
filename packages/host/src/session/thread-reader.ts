import { isSame, type KnownThread, type OpenAsking } from '@rostra/kernel/agui/projection';
import type { SaidMessage } from '@rostra/kernel/projection/said-message';
import { keptText } from '@rostra/kernel/projection/transcript-row';
import type { AguiInput, AguiMessage } from '@rostra/protocol/run-api/agui-input';
import type { TranscriptStore } from '../store/ports/transcript.ts';
import type { SaidIndex } from './said-index.ts';
import type { SessionDriver } from './session-driver.ts';

/** Every id by which a message of a client may be known, as the transcript keeps it, the newest message first. */
function idsOf({ messages }: AguiInput): string[] {
  const ids: string[] = [];
  for (const message of messages.toReversed()) {
    ids.push(message.id);
    if (message.role === 'assistant') for (const { id } of message.toolCalls ?? []) ids.push(id);
    if (message.role === 'tool') ids.push(message.toolCallId);
  }
  return ids.map(keptText);
}

const nothing: KnownThread = { isNew: true, open: [], find: () => null };

/**
 * What is known of a client's thread. The newest messages are in memory without a gap: when one of them is in the
 * client's list, what stands behind it there is new, and nobody has to look into the store.
 */
export async function readThread(
  transcript: Pick<TranscriptStore, 'said' | 'has'>,
  driver: SessionDriver | null,
  body: AguiInput,
  open: readonly OpenAsking[],
): Promise<KnownThread> {
  if (driver === null || driver.isUntouched) return nothing;
  const { said, session_id } = driver;
  const ids = idsOf(body);
  const isRecent = body.messages.some((message) => isIn(said, message));
  if (isRecent || !ids.some((id) => said.mayHold(id))) {
    return { isNew: said.isComplete && said.isEmpty, open, find: (role, id) => said.find(role, keptText(id)) };
  }
  const found = new Map<string, SaidMessage>();
  for (const message of await transcript.said(session_id, ids)) {
    found.set(`${message.role} ${message.id}`, message);
  }
  const isNew = found.size === 0 && said.isEmpty && !(await transcript.has(session_id, {}));
  const find: KnownThread['find'] = (role, id) => {
    const kept = keptText(id);
    return said.find(role, kept) ?? found.get(`${role} ${kept}`) ?? null;
  };
  return { isNew, open, find };
}

/** What was said in other words is to be said anew: it does not tell where the two sides agree. */
function isIn(said: SaidIndex, message: AguiMessage): boolean {
  const { role, id } = message;
  if (role !== 'user' && role !== 'assistant' && role !== 'tool') return false;
  const found = said.find(role, keptText(id));
  return found !== null && (role !== 'user' || isSame(message, found));
}
