import { type Said, saidIn } from '@rostra/kernel/projection/said';
import { stepsOf, TranscriptFold } from '@rostra/kernel/projection/transcript';
import { isTrigger } from '@rostra/kernel/projection/turn-origins';
import { dispatchedTurn, emptyContext, restoredContext, type SessionContext } from '@rostra/kernel/session/context';
import { type Owed, owes } from '@rostra/kernel/session/outbox';
import { step } from '@rostra/kernel/session/step';
import type { LogRecord } from '@rostra/protocol/record/record';
import type { SessionMessage } from '@rostra/protocol/session/message';
import type { ClaimedSession, Segment, SessionNames, SessionStore } from '../store/port.ts';
import type { DriverStart } from './driver-start.ts';
import { decodeSegment, wasStepped } from './record-line.ts';
import { TurnInputs } from './turn-inputs.ts';

/** A session as it can be driven again, and what is still owed to agents and the SessionManager. */
export interface LoadedSession {
  start: DriverStart;
  owed: Map<number, SessionMessage>;
}
export type LoadCallback = (error: Error | null, loaded: LoadedSession | null) => void;

export interface Load {
  store: Pick<SessionStore, 'claim' | 'readNames' | 'readAt'>;
  session_id: string;
  holder: string;
}

/** Takes a session over: raises its epoch, folds the tail of its log, fetches what is still owed. Null: no such one. */
export function loadSession({ store, session_id, holder }: Load, done: LoadCallback): void {
  store.claim(session_id, holder, (error, claimed) => {
    if (error !== null || claimed === null) {
      done(error, null);
      return;
    }
    store.readNames(session_id, (unnamed, names) => {
      if (unnamed === null) readRest(store, { claimed, names, context: fold(session_id, claimed) }, done);
      else done(unnamed, null);
    });
  });
}

interface Found {
  claimed: ClaimedSession;
  names: SessionNames | null;
  context: SessionContext;
}

/** What of the log is needed beside its tail. */
function readRest(store: Load['store'], found: Found, done: LoadCallback): void {
  const { claimed, context } = found;
  const { session_id } = context;
  readTurn(store, claimed, context, (failure, turn) => {
    if (failure !== null) {
      done(failure, null);
      return;
    }
    const seqs = neededRecords(claimed, context);
    if (seqs.length === 0) {
      done(null, assemble(found, [], turn));
      return;
    }
    store.readAt(session_id, seqs, (unread, segments) => {
      const records = segments.flatMap((segment) => decodeSegment(session_id, segment));
      if (unread === null) done(null, assemble(found, records, turn));
      else done(unread, null);
    });
  });
}

/** The context as it was after the last committed record (SR-INV-L3, L4). */
export function fold(
  session_id: string,
  claimed: Pick<ClaimedSession, 'context' | 'context_seq' | 'tail'>,
): SessionContext {
  let context = emptyContext(session_id);
  // The store hands back what the driver gave it; the hash chain answers for it.
  if (claimed.context !== null) context = restoredContext(session_id, JSON.parse(claimed.context) as SessionContext);
  for (const segment of claimed.tail) {
    for (const record of decodeSegment(session_id, segment)) {
      if (record.seq > claimed.context_seq && wasStepped(record)) context = step(context, record).context;
    }
  }
  return context;
}

/** Messages that are still owed, and the inputs of turns that may yet be sent. */
function neededRecords(claimed: ClaimedSession, context: SessionContext): number[] {
  const inputs = Object.values(context.inflight).flatMap(({ input_seq, context_seq }) => [input_seq, context_seq]);
  return [...new Set([...claimed.outbox, ...inputs.filter((seq) => seq !== null)])];
}

/** How many records are asked for at once. */
const BATCH = 512;

/** The records of the turn that is with an agent: what it has said so far is in no context. */
function readTurn(
  store: Load['store'],
  claimed: ClaimedSession,
  context: SessionContext,
  done: (error: Error | null, records: LogRecord[]) => void,
): void {
  const turn = dispatchedTurn(context);
  if (turn === null) {
    done(null, []);
    return;
  }
  const { session_id } = context;
  const from = claimed.turns.find(({ turn_id }) => turn_id === turn.turn_id)?.first_seq ?? turn.input_seq ?? 1;
  const until = claimed.tail[0]?.first_seq ?? claimed.last_seq + 1;
  const before: Segment[] = [];
  const finish = () => {
    const segments = [...before, ...claimed.tail];
    const records = segments.flatMap((segment) => decodeSegment(session_id, segment));
    done(
      null,
      records.filter(({ seq }) => seq >= from),
    );
  };
  const readFrom = (seq: number) => {
    if (seq >= until) {
      finish();
      return;
    }
    const seqs = Array.from({ length: Math.min(BATCH, until - seq) }, (_, index) => seq + index);
    store.readAt(session_id, seqs, (error, segments) => {
      before.push(...segments);
      const last = segments.at(-1)?.last_seq;
      if (error !== null || last === undefined) done(error ?? new Error(`record ${seq} is missing`), []);
      else readFrom(last + 1);
    });
  };
  readFrom(from);
}

function assemble({ claimed, names, context }: Found, records: LogRecord[], turn: LogRecord[]): LoadedSession {
  const outbox = new Map<number, Owed>();
  const owed = new Map<number, SessionMessage>();
  const { said, transcript } = spoken(context, turn);
  const inputs = new TurnInputs(said);
  const owing = new Set(claimed.outbox);
  const waiting = turnsByInput(context);
  for (const record of records) {
    if (waiting.has(record.seq)) inputs.add(record.seq, record);
    const turn_id = waiting.get(record.seq);
    // A turn that is still queued belongs somewhere too.
    if (turn_id !== undefined && isTrigger(record)) transcript.origins.note(record, turn_id);
    if (!owing.has(record.seq)) continue;
    const debt = owes(context, record) ?? SETTLED;
    outbox.set(record.seq, debt);
    owed.set(record.seq, record);
  }
  const { epoch, last_seq, context_seq, turns, workspace_id, owner_id } = claimed;
  const ownership = { workspace_id, owner_id };
  const place = { epoch, last_seq, saved_seq: context_seq, isNew: false, names };
  return { start: { ownership, context, ...place, turns, outbox, inputs, transcript }, owed };
}

/** The live turns by the records that began them. */
function turnsByInput({ inflight }: SessionContext): ReadonlyMap<number, string> {
  const turns = new Map<number, string>();
  for (const { turn_id, input_seq, context_seq } of Object.values(inflight)) {
    for (const seq of [input_seq, context_seq]) if (seq !== null) turns.set(seq, turn_id);
  }
  return turns;
}

/** Where the live turn stands: what it has said, and the message that it is in the middle of. */
function spoken(
  context: SessionContext,
  records: LogRecord[],
): { said: ReadonlyMap<string, Said>; transcript: TranscriptFold } {
  const transcript = new TranscriptFold();
  for (const [input, outs] of stepsOf(records)) transcript.take(input, outs);
  const turn = dispatchedTurn(context);
  const said = new Map<string, Said>();
  if (turn !== null) said.set(turn.turn_id, saidIn(records, turn.turn_id));
  return { said, transcript };
}

/** A row that is owed nothing any more: the next unit removes it. */
const SETTLED: Owed = { turn_id: null, tx_id: null, run_id: null, interaction_id: null, input: false, attempt: 1 };
