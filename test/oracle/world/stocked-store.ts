import { SegmentLines } from '@rostra/host/session/record-line';
import { MemoryStore } from '@rostra/host/store/memory/memory-store';
import type { Unit } from '@rostra/host/store/port';
import type { EventRow } from '@rostra/kernel/projection/event-row';
import type { LogRecord } from '@rostra/protocol/record/record';
import { runRow, SessionUnits, transcriptRow } from '../../../packages/host/test/store/session-units.ts';
import type { Facts, LedgerFact, SaidFact } from './facts.ts';

export interface StockedStore {
  readonly store: MemoryStore;
  /** A run has begun: the ledger says so. */
  add(run: LedgerFact): void;
}

/** A real store that holds what the facts say. */
export async function stockedStore({ ledger, artifacts, said }: Facts, now: () => number): Promise<StockedStore> {
  const store = new MemoryStore({ now });
  const logs = new Map<string, SessionUnits>();
  const commit = (unit: Unit) =>
    store.commit([unit], (error, [result]) => {
      if (error !== null || result !== 'committed') throw error ?? new Error('the world could not be written');
    });
  const places = [...ledger, ...said].map(({ place }) => place);
  const sessions = new Map(places.map(({ conversation_id, workspace_id }) => [conversation_id, workspace_id]));
  for (const [session_id, workspace_id] of sessions) {
    const units = new SessionUnits(session_id);
    logs.set(session_id, units);
    const own = said.filter(({ place }) => place.conversation_id === session_id);
    const unit = units.next(own.length + 1, {
      runs: ledger.filter(({ place }) => place.conversation_id === session_id).map(ledgerRow),
      transcript: own.map(saidRow),
      events: own.map(eventRow),
    });
    const records = [...own.map(saidRecord), lastRecord(session_id, own.length + 1)];
    const lines = new SegmentLines();
    for (const record of records) lines.add(record);
    const segments = [{ first_seq: 1, last_seq: records.length, epoch: 1, time: 1, body: lines.take() }];
    const created = { workspace_id, owner_id: 'owner' };
    commit({ ...unit, created, segments });
  }
  for (const { visibility, place, agent_id, run_id, bytes, ...fact } of artifacts) {
    const { conversation_id, bot_id, thread_id } = place;
    const where =
      visibility === 'conversation'
        ? { session_id: conversation_id, bot_id, thread_id }
        : { session_id: null, bot_id: null, thread_id: null };
    const about = { name: 'a', mime_type: 'text/plain', created_at: 1, metadata: {} };
    const reader = visibility === 'run' ? null : agent_id;
    await store.artifacts.create({ ...fact, ...where, ...about, agent_id: reader, run_id }, bytes);
  }
  const add = (run: LedgerFact) => {
    const { conversation_id, workspace_id } = run.place;
    const units = logs.get(conversation_id) ?? new SessionUnits(conversation_id);
    logs.set(conversation_id, units);
    const { created, ...unit } = units.next(0, { runs: [ledgerRow(run)] });
    commit({ ...unit, created: created === null ? null : { ...created, workspace_id } });
  };
  return { store, add };
}

function ledgerRow({ run_id, agent_id, status, place: { conversation_id, bot_id, thread_id } }: LedgerFact) {
  return runRow(conversation_id, run_id, { turn_id: run_id, agent_id, status, bot_id, thread_id });
}

function saidRow({ seq, event_id, event_type, run_id, role, content, place }: SaidFact) {
  const { conversation_id, bot_id, thread_id, actor_id } = place;
  const ids = { item_id: event_id, event_id, event_type, run_id, bot_id, thread_id, actor_id };
  return transcriptRow(conversation_id, seq, { ...ids, role, content });
}

function eventRow({ seq, event_id, event_type, run_id, place }: SaidFact): EventRow {
  const { conversation_id: session_id, bot_id, thread_id, actor_id } = place;
  return { session_id, seq, event_id, event_type, turn_id: null, run_id, bot_id, thread_id, actor_id, created_at: seq };
}

function saidRecord({ seq, run_id, content, place }: SaidFact): LogRecord {
  const payload = { message_id: `m-${seq}`, role: 'assistant', content };
  return {
    ...blankRecord(place.conversation_id, seq),
    run_id: run_id ?? undefined,
    subtype: 'message',
    payload,
  } as LogRecord;
}

function lastRecord(session_id: string, seq: number): LogRecord {
  return { ...blankRecord(session_id, seq), subtype: 'final', payload: {} } as LogRecord;
}

function blankRecord(session_id: string, seq: number) {
  const sender = { kind: 'agent', id: 'guide' };
  return {
    id: `r-${seq}`,
    session_id,
    seq,
    mark: 'both',
    v: 1,
    ts: seq,
    epoch: 1,
    sender,
    target: 'SYSTEM',
    visibility: 'both',
    event: 'AGENT_OUTPUT',
  };
}
