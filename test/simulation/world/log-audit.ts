import { decodeSegment, recordOf, wasStepped } from '@rostra/host/session/record-line';
import type { MemorySession } from '@rostra/host/store/memory/memory-tables';
import { type InteractionRow, interactionRowsOf } from '@rostra/kernel/projection/interaction-rows';
import { transcriptOf } from '@rostra/kernel/projection/transcript';
import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import { emptyContext, type SessionContext } from '@rostra/kernel/session/context';
import { step } from '@rostra/kernel/session/step';
import type { LogRecord } from '@rostra/protocol/record/record';
import type { SessionMessage } from '@rostra/protocol/session/message';
import type { Verdict } from '../invariants/oracle.ts';
import { differenceOf, sameJson } from '../invariants/same-json.ts';
import { segmentHash } from './segment-hash.ts';

/** L: reads a session's whole log back and steps it again. */
export class LogAudit {
  readonly #verdict: Verdict;
  readonly #inbox: ReadonlyMap<string, InteractionRow>;

  constructor(verdict: Verdict, inbox: ReadonlyMap<string, InteractionRow>) {
    this.#verdict = verdict;
    this.#inbox = inbox;
  }

  /** `live`: the state that the driver had after the last committed record; `cut`: where a snapshot is taken (0…1). */
  check(session: MemorySession, live: SessionContext | null, cut: number): void {
    const { id } = session.row;
    this.#checkChain(session);
    const records = session.segments.flatMap((segment) => decodeSegment(id, segment));
    this.#checkOrder(records, session);
    const snapshotAt = Math.floor(cut * records.length);
    let context = emptyContext(id);
    let restored: SessionContext | null = null;
    for (let index = 0; index < records.length; ) {
      const record = records[index];
      if (record === undefined || !wasStepped(record)) {
        this.#verdict.broken('L3', `record ${record?.seq} was published by no step`);
        return;
      }
      if (restored === null && index >= snapshotAt) restored = JSON.parse(JSON.stringify(context)) as SessionContext;
      // In the shape in which the driver steps messages.
      const message = recordOf(record, record);
      const stepped = step(context, message);
      context = stepped.context;
      if (restored !== null) restored = step(restored, message).context;
      index += 1 + this.#compare(record, stepped.publish, records, index + 1);
    }
    this.#checkState(id, context, restored, live);
    this.#checkTranscript(id, records, session.transcript);
    this.#checkInbox(session, records);
  }

  /** L5: the transcript is what the log makes of it. */
  #checkTranscript(id: string, records: LogRecord[], stored: readonly TranscriptRow[]): void {
    const rows = transcriptOf(records);
    if (rows.length > 0) this.#verdict.met('L5');
    const difference = differenceOf(rows, stored);
    if (difference !== null) this.#verdict.broken('L5', `${id}: the transcript is another at ${difference}`);
  }

  /** L5: so is the inbox. */
  #checkInbox({ row: { id, workspace_id } }: MemorySession, records: LogRecord[]): void {
    const rows = interactionRowsOf(records, workspace_id);
    if (rows.length > 0) this.#verdict.met('L5.inbox');
    const stored = [...this.#inbox.values()].filter(({ session_id }) => session_id === id);
    const difference = differenceOf(rows, stored);
    if (difference !== null) this.#verdict.broken('L5', `${id}: the inbox is another at ${difference}`);
  }

  #checkState(id: string, folded: SessionContext, restored: SessionContext | null, live: SessionContext | null): void {
    if (live !== null) {
      this.#verdict.met('L3');
      const difference = differenceOf(folded, live);
      if (difference !== null) this.#verdict.broken('L3', `${id}: fold and live state differ at ${difference}`);
    }
    if (restored === null) return;
    this.#verdict.met('L4');
    const difference = differenceOf(folded, restored);
    if (difference !== null) this.#verdict.broken('L4', `${id}: fold from a snapshot differs at ${difference}`);
  }

  /** Compares what a step publishes with what the log says it did; returns how many records that is. */
  #compare(record: LogRecord, publish: SessionMessage[], records: LogRecord[], from: number): number {
    if (record.mark === 'suppressed' || record.mark === 'both') {
      const count = record.mark === 'both' ? 1 : 0;
      if (publish.length !== count) this.#verdict.broken('L3', `${record.seq} is ${record.mark}: ${publish.length}`);
      return 0;
    }
    for (const [offset, out] of publish.entries()) {
      const stored = records[from + offset];
      if (stored === undefined || stored.mark !== 'out' || !isSameMessage(out, stored)) {
        this.#verdict.broken('L3', `record ${record.seq} publishes ${out.subtype}, the log has ${stored?.subtype}`);
      }
    }
    return publish.length;
  }

  #checkChain(session: MemorySession): void {
    const { id, last_seq, hash } = session.row;
    let previous = '0'.repeat(64);
    let seq = 0;
    let epoch = 0;
    for (const segment of session.segments) {
      this.#verdict.met('L2');
      if (segment.first_seq !== seq + 1) this.#verdict.broken('L1', `${id}: after ${seq} comes ${segment.first_seq}`);
      if (segment.epoch < epoch) this.#verdict.broken('C1', `${id}: epoch ${segment.epoch} after ${epoch}`);
      previous = segmentHash(previous, id, segment.first_seq, segment.epoch, segment.body);
      if (previous !== segment.hash) this.#verdict.broken('L2', `${id}: the segment at ${segment.first_seq} changed`);
      seq = segment.last_seq;
      epoch = segment.epoch;
    }
    if (seq !== last_seq || previous !== hash) this.#verdict.broken('L2', `${id}: the row and the log disagree`);
  }

  #checkOrder(records: LogRecord[], session: MemorySession): void {
    let ts = 0;
    for (const [index, record] of records.entries()) {
      if (record.seq !== index + 1) {
        this.#verdict.broken('L1', `${session.row.id}: record ${index + 1} has seq ${record.seq}`);
        return;
      }
      if (record.ts < ts) this.#verdict.broken('L1', `${session.row.id}: time goes back at ${record.seq}`);
      ts = record.ts;
    }
    if (records.length > 1) this.#verdict.met('L1');
  }
}

const beside: ReadonlySet<string> = new Set(['seq', 'mark', 'v', 'payload', 'payload_of']);

/** The same envelope; a payload that stands in another record is not compared: it is that record's. */
function isSameMessage(out: SessionMessage, stored: LogRecord): boolean {
  const told: Readonly<Record<string, unknown>> = out;
  const kept: Readonly<Record<string, unknown>> = stored;
  for (const key in told) if (!beside.has(key) && !sameJson(told[key], kept[key])) return false;
  for (const key in kept) if (!beside.has(key) && kept[key] !== undefined && told[key] === undefined) return false;
  const isElsewhere = stored.payload_of !== undefined || out.payload_of !== undefined;
  return isElsewhere || sameJson(out.payload, stored.payload);
}
