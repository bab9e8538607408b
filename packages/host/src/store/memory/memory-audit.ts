import { limits } from '@rostra/protocol/wire/limits';
import type { InThread } from '../in-thread.ts';
import type { AuditEntry, AuditFilter, AuditRow, AuditStore } from '../ports/audit.ts';
import { type PageRequest, pageLimit } from '../ports/page.ts';

export class MemoryAudit implements InThread<AuditStore> {
  #rows: AuditRow[] = [];
  #last = 0;

  append(entries: AuditEntry[]): void {
    for (const entry of entries) {
      this.#last += 1;
      this.#rows.push({ id: this.#last, ...entry });
    }
  }

  page(filter: AuditFilter, page: PageRequest<number> = {}): { rows: AuditRow[]; has_more: boolean } {
    const limit = pageLimit(page.limit);
    const { before = Number.MAX_SAFE_INTEGER } = page;
    const found = this.#rows.filter(
      (row) =>
        row.id < before &&
        row.workspace_id === filter.workspace_id &&
        (filter.session_id === undefined || row.session_id === filter.session_id) &&
        (filter.run_id === undefined || row.run_id === filter.run_id) &&
        (filter.actor === undefined || row.actor === filter.actor) &&
        (filter.action === undefined || row.action === filter.action) &&
        (filter.result === undefined || row.result === filter.result) &&
        row.at >= (filter.since ?? row.at) &&
        row.at < (filter.until ?? Number.POSITIVE_INFINITY),
    );
    return { rows: found.reverse().slice(0, limit), has_more: found.length > limit };
  }

  sweep(before: number): number {
    const count = this.#rows.length;
    this.#rows = this.#rows.filter(({ at }, index) => index >= limits.sweep_rows || at >= before);
    return count - this.#rows.length;
  }
}
