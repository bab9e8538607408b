import { limits } from '@rostra/protocol/wire/limits';
import type { TurnRow } from '../port.ts';
import { type PageRequest, pageLimit } from '../ports/page.ts';
import type { ListPlace, SessionCard, SessionOwner } from '../ports/session-care.ts';
import { pageBack } from './memory-page.ts';
import type { MemorySession, MemoryTables } from './memory-tables.ts';
import { leftIn } from './memory-transcript.ts';

type Whose = SessionOwner & { session_id?: string };

function isOf({ row }: MemorySession, { workspace_id, owner_id, session_id }: Whose): boolean {
  if (row.workspace_id !== workspace_id || (owner_id !== undefined && row.owner_id !== owner_id)) return false;
  return session_id === undefined || row.id === session_id;
}

/** Lists of sessions, and of what was done in them, as people look through them. */
export class MemoryCards {
  readonly #tables: MemoryTables;

  constructor(tables: MemoryTables) {
    this.#tables = tables;
  }

  browse(
    whose: SessionOwner,
    { before, limit }: { before?: ListPlace; limit?: number },
  ): { rows: SessionCard[]; has_more: boolean } {
    const most = pageLimit(limit);
    const later = (a: ListPlace, b: ListPlace) => a.active_at - b.active_at || a.key - b.key;
    const found = [...this.#tables.sessions.values()]
      .filter((session) => isOf(session, whose) && (before === undefined || later(session.row, before) < 0))
      .sort((a, b) => later(b.row, a.row));
    return { rows: found.slice(0, most).map((session) => this.#card(session)), has_more: found.length > most };
  }

  cards(session_ids: readonly string[]): SessionCard[] {
    const found = [...new Set(session_ids)].map((id) => this.#tables.sessions.get(id));
    return found.flatMap((session) => (session === undefined ? [] : this.#card(session)));
  }

  turns(whose: Whose, { before, limit }: PageRequest<string>): { rows: TurnRow[]; has_more: boolean } {
    const rows = [...this.#tables.turns.values()].filter(({ session_id }) => {
      const session = this.#tables.sessions.get(session_id);
      return session !== undefined && isOf(session, whose);
    });
    return pageBack(rows, ({ turn_id }) => turn_id === before, limit);
  }

  #card(session: MemorySession): SessionCard {
    const { row, transcript, live } = session;
    const { key, workspace_id, owner_id, title, created_at, active_at } = row;
    const spoken = transcript.filter(leftIn(transcript)).filter(({ item_type }) => item_type === 'message');
    const first = spoken.find(({ role }) => role === 'user');
    const last = spoken.findLast(({ role }) => role === 'user' || role === 'assistant');
    const context: { active_agent_id?: string | null } = JSON.parse(row.context ?? '{}');
    const asked = [...this.#tables.interactions.values()].filter(
      ({ session_id, status, purpose }) => session_id === row.id && status === 'pending' && !isOfClient(purpose),
    );
    return {
      key,
      session_id: row.id,
      workspace_id,
      owner_id,
      title,
      first_message: first === undefined ? null : beginning(first.content, limits.title_cut_chars + 1),
      active_agent_id: context.active_agent_id ?? null,
      last_message:
        last === undefined
          ? null
          : {
              role: last.role,
              content: beginning(last.content, limits.last_message_chars + 1),
              created_at: last.created_at,
            },
      turns: [...this.#tables.turns.values()].filter(({ session_id }) => session_id === row.id).length,
      live_turns: live.size,
      open_interactions: asked.length,
      created_at,
      active_at,
    };
  }
}

/** What a client's own tools are asked is no question to a person. */
function isOfClient(purpose: string): boolean {
  return purpose === 'client_tool';
}

function beginning(text: string, characters: number): string {
  return Array.from(text.slice(0, 2 * characters))
    .slice(0, characters)
    .join('');
}
