import { type ToldState, ToldStateFold } from '@rostra/kernel/projection/told-state';
import { emptyContext, type SessionContext } from '@rostra/kernel/session/context';
import { step } from '@rostra/kernel/session/step';
import type { LogRecord } from '@rostra/protocol/record/record';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { wasStepped } from '../session/record-line.ts';
import { fold } from '../session/session-loader.ts';
import type { SessionCare } from '../store/ports/session-care.ts';
import { logPages, type ReadableLog } from './log-pages.ts';

export interface PastSources {
  readonly log: ReadableLog;
  /** Where a fold may begin that need not begin with the first record. */
  readonly saved: Pick<SessionCare, 'saved'>;
  readonly page_bytes?: number;
}

type Saved = Awaited<ReturnType<SessionCare['saved']>>;

/**
 * A session as it was after any of its records: who was in it, who was active, which turns lived, what agents kept. Read
 * from its log page by page; nothing is raised, claimed or written by it.
 */
export class SessionPast {
  readonly #sources: PastSources;

  constructor(sources: PastSources) {
    this.#sources = sources;
  }

  /** Roster, active agent and turns after the record `seq`; null when there is no such session. */
  async contextAsOf(session_id: string, seq: number): Promise<SessionContext | null> {
    if (!(await this.#reaches(session_id, seq))) return null;
    return this.#folded(session_id, await this.#sources.saved.saved(session_id), seq);
  }

  async #folded(session_id: string, saved: Saved, seq: number): Promise<SessionContext> {
    let context = emptyContext(session_id);
    let from = 0;
    if (saved !== null && saved.context_seq <= seq) {
      context = fold(session_id, { ...saved, tail: [] });
      from = saved.context_seq;
    }
    for await (const record of this.#records(session_id, from, seq)) {
      if (wasStepped(record)) context = step(context, record).context;
    }
    return context;
  }

  /** As it stands now, after which record, and the epoch that wrote that; null when there is no such session. */
  async latest(session_id: string): Promise<{ context: SessionContext; seq: number; epoch: number } | null> {
    // In this order: a context that is saved meanwhile would stand for more than the head that was read before it.
    const saved = await this.#sources.saved.saved(session_id);
    const head = await this.#sources.log.readHead(session_id);
    if (head === null) return null;
    const { last_seq: seq, epoch } = head;
    return { context: await this.#folded(session_id, saved, seq), seq, epoch };
  }

  /** What agents had been told to keep after the record `seq`. A context knows nothing of it, so it is read from the start. */
  async stateAsOf(session_id: string, seq: number): Promise<ToldState | null> {
    if (!(await this.#reaches(session_id, seq))) return null;
    const told = new ToldStateFold();
    for await (const record of this.#records(session_id, 0, seq)) told.take(record);
    return told.state;
  }

  async #reaches(session_id: string, seq: number): Promise<boolean> {
    const head = await this.#sources.log.readHead(session_id);
    if (head === null) return false;
    if (Number.isInteger(seq) && seq >= 0 && seq <= head.last_seq) return true;
    throw new ApiError('invalid_argument', `The log of this session has no record ${seq}.`, {
      details: { hint: `Ask for a record from 0 to ${head.last_seq}.` },
    });
  }

  async *#records(session_id: string, from: number, until: number): AsyncGenerator<LogRecord> {
    const { log, page_bytes } = this.#sources;
    if (from >= until) return;
    for await (const records of logPages(log, session_id, from, page_bytes)) {
      for (const record of records) {
        if (record.seq > until) return;
        yield record;
      }
    }
  }
}
