import { emptyContext, type SessionContext } from '@rostra/kernel/session/context';
import { type Owed, owes } from '@rostra/kernel/session/outbox';
import { step } from '@rostra/kernel/session/step';
import type { LogRecord } from '@rostra/protocol/record/record';
import type { UserInputPayload } from '@rostra/protocol/session/input';
import type { SessionMessage } from '@rostra/protocol/session/message';
import type { ClaimedSession, SessionStore } from '../store/port.ts';
import { decodeSegment, wasStepped } from './record-line.ts';
import type { DriverStart } from './session-driver.ts';

/** A session as it can be driven again, and what is still owed to agents and the SessionManager. */
export interface LoadedSession {
  start: DriverStart;
  owed: Map<number, SessionMessage>;
}
export type LoadCallback = (error: Error | null, loaded: LoadedSession | null) => void;

/** Takes a session over: raises its epoch, folds the tail of its log, fetches what is still owed. Null: no such one. */
export function loadSession(store: SessionStore, session_id: string, done: LoadCallback): void {
  store.claim(session_id, (error, claimed) => {
    if (error !== null || claimed === null) {
      done(error, null);
      return;
    }
    const context = fold(session_id, claimed);
    const inputs = Object.values(context.inflight).flatMap((turn) => turn.input_seq ?? []);
    const seqs = [...new Set([...claimed.outbox, ...inputs])];
    if (seqs.length === 0) {
      done(null, assemble(claimed, context, []));
      return;
    }
    store.readAt(session_id, seqs, (failure, segments) => {
      const records = segments.flatMap((segment) => decodeSegment(session_id, segment));
      if (failure === null) done(null, assemble(claimed, context, records));
      else done(failure, null);
    });
  });
}

/** The context as it was after the last committed record (SR-INV-L3, L4). */
export function fold(
  session_id: string,
  claimed: Pick<ClaimedSession, 'context' | 'context_seq' | 'tail'>,
): SessionContext {
  // The store hands back what the driver gave it; the hash chain answers for it.
  let context = claimed.context === null ? emptyContext(session_id) : (JSON.parse(claimed.context) as SessionContext);
  for (const segment of claimed.tail) {
    for (const record of decodeSegment(session_id, segment)) {
      if (record.seq > claimed.context_seq && wasStepped(record)) context = step(context, record).context;
    }
  }
  return context;
}

function assemble(claimed: ClaimedSession, context: SessionContext, records: LogRecord[]): LoadedSession {
  const outbox = new Map<number, Owed>();
  const owed = new Map<number, SessionMessage>();
  const inputs = new Map<number, UserInputPayload>();
  const owing = new Set(claimed.outbox);
  const waiting = new Set(Object.values(context.inflight).map((turn) => turn.input_seq));
  for (const record of records) {
    if (record.event === 'USER_INPUT' && waiting.has(record.seq)) inputs.set(record.seq, record.payload);
    if (!owing.has(record.seq)) continue;
    const debt = owes(context, record) ?? SETTLED;
    outbox.set(record.seq, debt);
    owed.set(record.seq, record);
  }
  const { epoch, last_seq, context_seq, turns, workspace_id, owner_id } = claimed;
  const ownership = { workspace_id, owner_id };
  const place = { epoch, last_seq, saved_seq: context_seq };
  return { start: { ownership, context, ...place, isNew: false, turns, outbox, inputs }, owed };
}

/** A row that is owed nothing any more: the next unit removes it. */
const SETTLED: Owed = { turn_id: null, tx_id: null, input: false, attempt: 1 };
