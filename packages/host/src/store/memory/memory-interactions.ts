import type { InteractionRow } from '@rostra/kernel/projection/interaction-rows';
import type { InThread } from '../in-thread.ts';
import type { InteractionFilter, InteractionStore } from '../ports/interaction.ts';
import type { PageRequest } from '../ports/page.ts';
import { pageBack } from './memory-page.ts';
import type { MemoryTables } from './memory-tables.ts';

export class MemoryInteractions implements InThread<InteractionStore> {
  readonly #tables: MemoryTables;

  constructor(tables: MemoryTables) {
    this.#tables = tables;
  }

  get(interaction_id: string): InteractionRow | null {
    return this.#tables.interactions.get(interaction_id) ?? null;
  }

  page(
    { workspace_id, owner_id, session_id, status, turn_id, purpose, except }: InteractionFilter,
    { before, limit }: PageRequest<string> = {},
  ): { rows: InteractionRow[]; has_more: boolean } {
    const rows = [...this.#tables.interactions.values()].filter(
      (row) =>
        row.workspace_id === workspace_id &&
        (owner_id === undefined || this.#tables.sessions.get(row.session_id)?.row.owner_id === owner_id) &&
        (session_id === undefined || row.session_id === session_id) &&
        (turn_id === undefined || row.turn_id === turn_id) &&
        (purpose === undefined || row.purpose === purpose) &&
        row.purpose !== except &&
        // The row of the page before may be resolved by now; it still says where to go on.
        (status === undefined || row.status === status || row.interaction_id === before),
    );
    return pageBack(rows, (row) => row.interaction_id === before, limit);
  }
}
