import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import type { InThread } from '../in-thread.ts';
import { type PageRequest, pageLimit } from '../ports/page.ts';
import { isTerminal, type RunRow, type RunStore } from '../ports/run.ts';
import type { TranscriptPage, TranscriptStore } from '../ports/transcript.ts';
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

  page(session_id: string, { before, limit }: PageRequest<string> = {}): { rows: RunRow[]; has_more: boolean } {
    const rows = this.#all((run) => run.session_id === session_id);
    return pageBack(rows, (run) => run.run_id === before, limit);
  }

  listOpen(limit: number): RunRow[] {
    return this.#all((run) => !isTerminal(run.status)).slice(0, limit);
  }

  #all(wanted: (run: RunRow) => boolean): RunRow[] {
    return [...this.#tables.runs.values()].filter(wanted);
  }
}

export class MemoryTranscript implements InThread<TranscriptStore> {
  readonly #tables: MemoryTables;

  constructor(tables: MemoryTables) {
    this.#tables = tables;
  }

  get(session_id: string, seq: number): TranscriptRow | null {
    return this.#rows(session_id).find((row) => row.seq === seq) ?? null;
  }

  page(session_id: string, page: TranscriptPage = {}): { rows: TranscriptRow[]; has_more: boolean } {
    const limit = pageLimit(page.limit);
    const { before = Number.MAX_SAFE_INTEGER, after } = page;
    const found = this.#rows(session_id).filter(({ seq }) => seq < before && seq > (after ?? 0));
    const rows = after === undefined ? found.slice(-limit) : found.slice(0, limit);
    return { rows, has_more: found.length > limit };
  }

  #rows(session_id: string): readonly TranscriptRow[] {
    return this.#tables.sessions.get(session_id)?.transcript ?? [];
  }
}
