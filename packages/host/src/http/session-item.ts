import type { SessionItem } from '@rostra/protocol/run-api/session-api';
import { limits } from '@rostra/protocol/wire/limits';
import { timeText } from '../projection/session-view.ts';
import type { SessionCard } from '../store/ports/session-care.ts';

/** One line of at most that many characters. */
function line(text: string, characters: number): string {
  return Array.from(text.replace(/\s+/g, ' ').trim()).slice(0, characters).join('');
}

/** What a session is called: as somebody said, else as it began. */
export function titleOf({ title, first_message }: Pick<SessionCard, 'title' | 'first_message'>): string | null {
  if (title !== null) return title;
  const beginning = first_message === null ? '' : line(first_message, limits.title_cut_chars);
  return beginning === '' ? null : beginning;
}

export function sessionItem(card: SessionCard): SessionItem {
  const { last_message: last } = card;
  return {
    id: card.session_id,
    ownerId: card.owner_id,
    title: titleOf(card),
    isRenamed: card.title !== null,
    activeAgentId: card.active_agent_id,
    lastMessage:
      last === null
        ? null
        : {
            role: last.role,
            text: line(last.content, limits.last_message_chars),
            timestamp: timeText(last.created_at),
          },
    runs: card.turns,
    liveRuns: card.live_turns,
    openInteractions: card.open_interactions,
    createdAt: timeText(card.created_at),
    updatedAt: timeText(Math.max(card.active_at, last?.created_at ?? 0)),
  };
}
