import { isDeepStrictEqual } from 'node:util';
import { emptyContext, restoredContext, type SessionContext } from '@rostra/kernel/session/context';
import { step } from '@rostra/kernel/session/step';
import { logPages } from '../../../projection/log-pages.ts';
import { transcriptDrift } from '../../../projection/transcript-rebuild.ts';
import { wasStepped } from '../../../session/record-line.ts';
import { cutSegments } from '../../../store/segment-hash.ts';
import type { Database } from '../../../store/sqlite/driver.ts';
import { SegmentTable } from '../../../store/sqlite/segment-table.ts';
import { selectSession } from '../../../store/sqlite/session-row.ts';
import { Statements } from '../../../store/sqlite/statements.ts';
import { TranscriptTable } from '../../../store/sqlite/tables/transcript-table.ts';

/** Makes anew from a proven log what is kept beside it, and compares (SR-INV-L3, SR-INV-L5). */
export class Derivation {
  readonly #db: Database;
  readonly #segments: SegmentTable;
  readonly #transcript: TranscriptTable;

  constructor(db: Database) {
    this.#db = db;
    this.#segments = new SegmentTable(db);
    this.#transcript = new TranscriptTable(new Statements(db));
  }

  /** Where context or transcript differ from what the log gives, in one sentence; null when both are equal. */
  async difference(session_id: string): Promise<string | null> {
    // One moment for log, context and transcript: the host may be writing.
    this.#db.exec('BEGIN');
    try {
      const row = this.#db.prepare(`${selectSession} WHERE id = ?`).get(session_id);
      if (row === undefined) return null;
      const log = {
        readSegments: async (_: string, after: number, bytes: number) =>
          cutSegments(this.#segments.after(Number(row.key), after), bytes),
      };
      const saved = typeof row.context === 'string' ? { text: row.context, seq: Number(row.context_seq) } : null;
      const transcript = { page: async (id: string, page = {}) => this.#transcript.page(id, page) };
      return (
        (await contextDrift(log, session_id, saved)) ??
        (await transcriptDrift({ log, transcript }, session_id, Number(row.early_seq)))
      );
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return `What is kept beside the log of session ${session_id} cannot be read.`;
    } finally {
      this.#db.exec('ROLLBACK');
    }
  }
}

async function contextDrift(
  log: Parameters<typeof logPages>[0],
  session_id: string,
  saved: { text: string; seq: number } | null,
): Promise<string | null> {
  let context = emptyContext(session_id);
  let isCompared = saved === null;
  const isSame = () => saved !== null && isDeepStrictEqual(plain(context), plain(restored(session_id, saved.text)));
  const problem = `The context of session ${session_id} saved at record ${saved?.seq} is not what its log gives.`;
  for await (const records of logPages(log, session_id)) {
    for (const record of records) {
      if (!isCompared && saved !== null && record.seq > saved.seq) {
        if (!isSame()) return problem;
        isCompared = true;
      }
      if (wasStepped(record)) context = step(context, record).context;
    }
  }
  return isCompared || isSame() ? null : problem;
}

/** What is absent and what is undefined is the same in a log. */
function plain(context: SessionContext): unknown {
  return JSON.parse(JSON.stringify(context));
}

function restored(session_id: string, text: string): SessionContext {
  const saved: SessionContext = JSON.parse(text);
  return restoredContext(session_id, saved);
}
