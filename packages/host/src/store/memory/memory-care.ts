import { limits } from '@rostra/protocol/wire/limits';
import type { InThread } from '../in-thread.ts';
import type { TurnRow } from '../port.ts';
import { type PageRequest, pageLimit } from '../ports/page.ts';
import type {
  ListPlace,
  SessionCard,
  SessionCare,
  SessionListing,
  SessionOwner,
  Tombstone,
} from '../ports/session-care.ts';
import { MemoryCards } from './memory-cards.ts';
import type { MemoryLeases } from './memory-leases.ts';
import type { MemorySession, MemoryTables } from './memory-tables.ts';

export class MemoryCare implements InThread<SessionCare> {
  readonly #tables: MemoryTables;
  readonly #cards: MemoryCards;
  readonly #leases: MemoryLeases;
  readonly #removed: (session_id: string) => void;

  /** `removed`: other tables drop what they hold of the session. */
  constructor(tables: MemoryTables, leases: MemoryLeases, removed: (session_id: string) => void) {
    this.#tables = tables;
    this.#cards = new MemoryCards(tables);
    this.#leases = leases;
    this.#removed = removed;
  }

  list({ after = 0, limit }: { after?: number; limit?: number } = {}): SessionListing[] {
    return this.#after(after).slice(0, pageLimit(limit)).map(listingOf);
  }

  browse(whose: SessionOwner, page: { before?: ListPlace; limit?: number } = {}) {
    return this.#cards.browse(whose, page);
  }

  cards(session_ids: readonly string[]): SessionCard[] {
    return this.#cards.cards(session_ids);
  }

  activeWith(workspace_id: string, agent_id: string): string[] {
    const isActive = ({ row }: MemorySession) => {
      if (row.workspace_id !== workspace_id || row.context === null) return false;
      const context: { active_agent_id: string | null; state: string } = JSON.parse(row.context);
      return context.active_agent_id === agent_id && context.state !== 'CLOSED';
    };
    return this.#after(0)
      .filter(isActive)
      .slice(0, limits.page_items)
      .map(({ row }) => row.id);
  }

  rename(session_id: string, title: string | null): boolean {
    const session = this.#tables.sessions.get(session_id);
    if (session === undefined) return false;
    this.#tables.setRow(session, { ...session.row, title });
    this.#tables.forget();
    return true;
  }

  turns(
    whose: SessionOwner & { session_id?: string },
    page: PageRequest<string> = {},
  ): { rows: TurnRow[]; has_more: boolean } {
    return this.#cards.turns(whose, page);
  }

  remove(session_id: string, { at, why }: { at: number; why: string }): boolean {
    const session = this.#tables.sessions.get(session_id);
    if (session === undefined) return false;
    const { workspace_id, owner_id, last_seq, hash } = session.row;
    this.#tables.remove(session, { session_id, deleted_at: at, why, workspace_id, owner_id, last_seq, hash });
    this.#leases.forget(session_id);
    this.#removed(session_id);
    return true;
  }

  tombstone(session_id: string): Tombstone | null {
    return this.#tables.tombstones.get(session_id) ?? null;
  }

  saved(session_id: string): { context: string; context_seq: number } | null {
    const row = this.#tables.sessions.get(session_id)?.row;
    if (row === undefined || row.context === null) return null;
    return { context: row.context, context_seq: row.context_seq };
  }

  /** Nothing is left to do: `remove` took everything. */
  purge(): boolean {
    return false;
  }

  retire(cursor: number, before: number, at: number): { removed: string[]; cursor: number | null } {
    const looked = this.#after(cursor).slice(0, limits.sweep_sessions);
    const removed: string[] = [];
    for (const { row, live, outbox } of looked) {
      if (row.updated_at >= before || live.size > 0 || outbox.size > 0 || this.#leases.isHeld(row.id)) continue;
      if (this.remove(row.id, { at, why: 'retention' })) removed.push(row.id);
    }
    return { removed, cursor: looked.length < limits.sweep_sessions ? null : (looked.at(-1)?.row.key ?? null) };
  }

  #after(key: number): MemorySession[] {
    return [...this.#tables.sessions.values()].filter(({ row }) => row.key > key);
  }
}

function listingOf({ row }: MemorySession): SessionListing {
  const { key, id, workspace_id, owner_id, created_at, updated_at, last_seq } = row;
  return { cursor: key, session_id: id, workspace_id, owner_id, created_at, updated_at, last_seq };
}
