import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { InThread } from '../in-thread.ts';
import {
  type AnswerResult,
  encodeRequest,
  type InteractionRow,
  type InteractionStatus,
  type InteractionStore,
  type NewInteraction,
} from '../ports/interaction.ts';
import type { PageRequest } from '../ports/page.ts';
import { duplicate } from './memory-objects.ts';
import { pageBack } from './memory-page.ts';

export class MemoryInteractions implements InThread<InteractionStore> {
  readonly #rows = new Map<string, InteractionRow>();

  insert(row: NewInteraction): void {
    encodeRequest(row);
    if (this.#rows.has(row.interaction_id)) throw duplicate(`interaction ${row.interaction_id}`);
    this.#rows.set(row.interaction_id, {
      ...row,
      status: 'pending',
      answer: null,
      answered_by: null,
      resolved_at: null,
    });
  }

  get(interaction_id: string): InteractionRow | null {
    return this.#rows.get(interaction_id) ?? null;
  }

  listPending(
    { workspace_id, session_id }: { workspace_id: string; session_id?: string },
    { before, limit }: PageRequest<string> = {},
  ): { rows: InteractionRow[]; has_more: boolean } {
    const rows = [...this.#rows.values()].filter(
      (row) =>
        // The row of the page before may be resolved by now; it still says where to go on.
        (row.status === 'pending' || row.interaction_id === before) &&
        row.workspace_id === workspace_id &&
        (session_id === undefined || row.session_id === session_id),
    );
    return pageBack(rows, (row) => row.interaction_id === before, limit);
  }

  answer(interaction_id: string, { answer, by, at }: { answer: Json; by: string; at: number }): AnswerResult {
    const row = this.#rows.get(interaction_id);
    if (row === undefined) return 'unknown';
    if (row.status !== 'pending' || row.expires_at <= at) return 'too_late';
    this.#rows.set(interaction_id, { ...row, status: 'answered', answer, answered_by: by, resolved_at: at });
    return 'answered';
  }

  resolve(interaction_id: string, status: InteractionStatus, at: number): boolean {
    const row = this.#rows.get(interaction_id);
    if (row?.status !== 'pending') return false;
    this.#rows.set(interaction_id, { ...row, status, resolved_at: at });
    return true;
  }

  expire(now: number): InteractionRow[] {
    const due = [...this.#rows.values()]
      .filter((row) => row.status === 'pending' && row.expires_at <= now)
      .sort((a, b) => a.expires_at - b.expires_at)
      .slice(0, limits.page_items);
    for (const { interaction_id } of due) this.resolve(interaction_id, 'expired', now);
    return due.flatMap(({ interaction_id }) => this.get(interaction_id) ?? []);
  }

  removeSession(session_id: string): void {
    for (const [id, row] of this.#rows) if (row.session_id === session_id) this.#rows.delete(id);
  }
}
