import type { MemorySession } from '@rostra/host/store/memory/memory-tables';
import { deadlines } from '@rostra/kernel/session/deadlines';
import { limits } from '@rostra/protocol/wire/limits';
import { overdueTransaction } from '../invariants/transactions.ts';
import { overdueTurn } from '../invariants/turn-deadlines.ts';
import { AUDITED, type World } from './world.ts';

const EVENTS_MAX = 20_000;

/** V: the faults are over; the session must come to rest, and answer again. */
export class Finale {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  run(): void {
    const { decisions, sessions, verdict } = this.#world;
    decisions.enabled = false;
    // What a dead process held is free when its lease has run out.
    const { timeline } = this.#world;
    timeline.at(timeline.now + limits.lease, 'rest', () => undefined);
    if (!this.#rest()) return;
    for (const id of sessions) this.#checkRest(id);
    this.#world.submissions.checkAnswered();
    this.#world.submissions.checkPromises();
    if (verdict.violations.length > 0) return;
    for (const id of sessions) this.#askAgain(id);
    for (const id of sessions) this.#checkRest(id);
    for (const id of sessions) this.#audit(id);
  }

  /** Lets time pass until nothing is left to happen. */
  #rest(): boolean {
    const { timeline, verdict } = this.#world;
    for (let events = 0; events < EVENTS_MAX; events += 1) {
      if (!timeline.advance(Number.POSITIVE_INFINITY)) return true;
    }
    verdict.broken('V4', 'the session never comes to rest');
    return false;
  }

  #checkRest(id: string): void {
    const { verdict, corrupted, inner, cluster } = this.#world;
    const session = this.#world.stored(id);
    if (corrupted.has(id) || session === undefined) return;
    const oracle = this.#world.oracle(id);
    for (const { name } of cluster.hosts) oracle.committed(name, session.row.last_seq);
    const { ledger } = oracle;
    const state = ledger.last?.after;
    verdict.met('V1');
    verdict.met('V2');
    verdict.met('V4');
    const { now } = this.#world.timeline;
    for (const turn of ledger.live.keys()) verdict.broken('V1', `${turn} is alive at rest`);
    for (const tx of ledger.book.pending.keys()) verdict.broken('V2', `${tx} is pending at rest`);
    const late = overdueTurn(ledger, now);
    if (late !== null) verdict.broken('T3', late);
    const stuck = overdueTransaction(ledger, now);
    if (stuck !== null) verdict.broken('X2', stuck);
    if (state !== undefined && deadlines(state).length > 0) verdict.broken('V4', `timers of ${id} are left`);
    if (session.outbox.size > 0) verdict.broken('V4', `outbox rows of ${id} are left: ${[...session.outbox].join()}`);
    for (const { clock, runtime } of cluster.hosts) {
      if (clock.armed > 0) verdict.broken('V4', `${clock.armed} timers are armed`);
      // Nothing is under way: nothing needs to be held.
      if (runtime.driver(id) !== undefined) verdict.broken('V4', `${id} rests and is held`);
    }
    this.#world.owners.checkReleased(cluster.hosts, id);
    this.#checkTranscript(id, session);
    for (const turn of ledger.turns.values()) {
      if (turn.ends !== 1) verdict.broken('T3', `${turn.id} ended ${turn.ends} times`);
      const row = inner.tables.turns.get(turn.id);
      const expected = turn.end?.status === 'CANCELED' ? 'cancelled' : turn.end?.status.toLowerCase();
      if (row?.status !== expected) verdict.broken('R1', `${turn.id} is ${expected}, its row says ${row?.status}`);
    }
  }

  /** O6: what was shown of a turn is in the transcript, and nothing else. */
  #checkTranscript(id: string, session: MemorySession): void {
    const { verdict } = this.#world;
    const { ledger } = this.#world.oracle(id);
    const rows = new Map<string, string>();
    for (const row of session.transcript) {
      if (row.role === 'user') continue;
      const key = `${row.turn_id} ${row.item_id}`;
      rows.set(key, (rows.get(key) ?? '') + row.content);
    }
    for (const turn of ledger.turns.values()) {
      for (const [message_id, text] of [...turn.said, ...turn.given]) {
        if (text === '') continue;
        verdict.met('O6.transcript');
        const kept = rows.get(`${turn.id} ${message_id}`);
        if (kept !== text) verdict.broken('O6', `${message_id}: shown "${text}", kept "${kept}"`);
        rows.delete(`${turn.id} ${message_id}`);
      }
    }
    for (const key of rows.keys()) verdict.broken('O6', `${key} is in the transcript and was not shown`);
  }

  /** V3: whatever happened, a new input is accepted and answered. */
  #askAgain(id: string): void {
    const { verdict, desk, submissions } = this.#world;
    const { corrupted } = this.#world;
    if (corrupted.has(id)) {
      this.#checkReadOnly(id);
      return;
    }
    const oracle = this.#world.oracle(id);
    const state = () => oracle.ledger.last?.after;
    const say = (message: Parameters<typeof submissions.submit>[0]['message']) => {
      submissions.submit({ message });
      return this.#rest();
    };
    if (state()?.state !== 'OPEN') {
      if (!say(desk.control(id, `last:${id}:open`, 'SESSION_OPEN', { agents: ['a'] }))) return;
    }
    const members = Object.keys(state()?.agents_in_session ?? {});
    if (state()?.state === 'OPEN' && (members.length === 0 || state()?.active_agent_id === null)) {
      const agent_id = members[0] ?? 'a';
      if (!say(desk.control(id, `last:${id}:invite`, 'INVITE_AGENT', { agent_id, activate: true }))) return;
    }
    if (!say(desk.input(id, `last:${id}`))) return;
    verdict.met('V3');
    const turn = oracle.ledger.turns.get(`t-last:${id}`);
    if (turn?.end?.status !== 'COMPLETED') {
      verdict.broken('V3', `a new input in ${id} ends ${turn?.end?.status ?? 'nowhere'}`);
    }
  }

  /** L6: a damaged log is read-only, and says so to everybody who asks. */
  #checkReadOnly(id: string): void {
    const { verdict, desk, cluster, submissions } = this.#world;
    const before = this.#world.stored(id)?.row;
    submissions.submit({ message: desk.input(id, `last:${id}`) });
    if (!this.#rest()) return;
    const after = this.#world.stored(id)?.row;
    if (before?.last_seq !== after?.last_seq) verdict.broken('L6', `the damaged log of ${id} grew`);
    cluster.hosts[0]?.runtime.withSession(id, null, (error) => {
      verdict.met('L6');
      if (error?.name !== 'CorruptLogError') verdict.broken('L6', `${id} is damaged and ${error?.name ?? 'served'}`);
    });
  }

  #audit(id: string): void {
    const session = this.#world.stored(id);
    if (session === undefined || this.#world.corrupted.has(id)) return;
    const cut = this.#world.decisions.prng(`audit:${id}`).unit();
    const live = this.#world.oracle(id).ledger.last?.after ?? null;
    if (cut < AUDITED) this.#world.audit.check(session, live, cut / AUDITED);
  }
}
