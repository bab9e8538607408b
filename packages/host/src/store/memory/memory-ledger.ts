import type { InThread } from '../in-thread.ts';
import type { LedgerSpan, RunPage, RunRow, RunStore } from '../ports/run.ts';
import { pageBack } from './memory-page.ts';
import type { MemoryTables } from './memory-tables.ts';

export class MemoryRuns implements InThread<RunStore> {
  readonly #tables: MemoryTables;

  constructor(tables: MemoryTables) {
    this.#tables = tables;
  }

  get(run_id: string): RunRow | null {
    return this.#tables.runs.get(run_id) ?? null;
  }

  ofTurn(turn_id: string): RunRow[] {
    return this.#all((run) => run.turn_id === turn_id).sort((a, b) => a.attempt - b.attempt);
  }

  ofTurns(turn_ids: readonly string[]): RunRow[] {
    return [...new Set(turn_ids)].sort().flatMap((turn_id) => this.ofTurn(turn_id));
  }

  page(session_id: string, page: RunPage = {}): { rows: RunRow[]; has_more: boolean } {
    const { before, limit, place, statuses = [] } = page;
    const isWanted = (run: RunRow) =>
      (place === undefined || (run.bot_id === place.bot_id && run.thread_id === place.thread_id)) &&
      (statuses.length === 0 || statuses.includes(run.status));
    const rows = this.#all((run) => run.session_id === session_id && (run.run_id === before || isWanted(run)));
    return pageBack(rows, (run) => run.run_id === before, limit);
  }

  endedSince(agent_id: string, since: number): { rows: RunRow[]; next: number | null } {
    const rows = this.#all((run) => run.agent_id === agent_id && run.ended_at !== null && run.created_at >= since);
    return { rows: rows.reverse(), next: null };
  }

  ledger({ workspace_id, since, until }: LedgerSpan): { rows: RunRow[]; next: number | null } {
    const rows = this.#all(
      ({ session_id, created_at }) =>
        this.#tables.sessions.get(session_id)?.row.workspace_id === workspace_id &&
        created_at >= since &&
        created_at < until,
    );
    return { rows: rows.reverse(), next: null };
  }

  #all(wanted: (run: RunRow) => boolean): RunRow[] {
    return [...this.#tables.runs.values()].filter(wanted);
  }
}
