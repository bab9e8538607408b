import { limits } from '@rostra/protocol/wire/limits';
import type { ClaimedSession, Unit, UnitResult } from '../port.ts';
import { RecentMap } from '../recent-map.ts';

interface KnownHead {
  readonly epoch: number;
  readonly seq: number;
}

/** The tables were asked, and have not answered yet: each question is another. */
export type Asked = symbol;

const newborn: KnownHead = { epoch: 0, seq: 0 };

/**
 * Where the logs of sessions stand, as the only process that writes them knows it: from having claimed and committed. What
 * it does not know is asked of the tables, and an answer counts only if nothing else was asked since.
 */
export class KnownHeads {
  readonly #heads = new RecentMap<KnownHead | Asked>(limits.writer_heads);

  /** Whether the log is known to stand where the unit begins. */
  precede({ session_id, epoch, expected_seq, created }: Unit): boolean {
    const head = this.#heads.get(session_id);
    if (head === undefined || typeof head === 'symbol') return false;
    if (created !== null || head === newborn) return created !== null && head === newborn;
    return head.epoch === epoch && head.seq === expected_seq;
  }

  /** The units are in the journal, or on their way: what comes next builds on them. */
  advance(units: readonly Unit[]): void {
    for (const { session_id, epoch, last_seq } of units) this.#heads.set(session_id, { epoch, seq: last_seq });
  }

  /** From now on, and until the answer, nothing is known of these sessions. */
  ask(sessions: readonly Pick<Unit, 'session_id'>[]): Asked {
    const asked = Symbol('asked');
    for (const { session_id } of sessions) this.#heads.set(session_id, asked);
    return asked;
  }

  /** Null: there is no such session yet. */
  claimed(asked: Asked, session_id: string, claimed: ClaimedSession | null): void {
    this.#learn(asked, session_id, claimed === null ? newborn : { epoch: claimed.epoch, seq: claimed.last_seq });
  }

  committed(asked: Asked, units: readonly Unit[], results: readonly UnitResult[]): void {
    for (const [index, { session_id, epoch, last_seq }] of units.entries()) {
      if (results[index] === 'committed') this.#learn(asked, session_id, { epoch, seq: last_seq });
    }
  }

  /** What is about to be done may concern any of them. */
  forgetAll(): void {
    this.#heads.deleteWhere(() => true);
  }

  #learn(asked: Asked, session_id: string, head: KnownHead): void {
    if (this.#heads.get(session_id) === asked) this.#heads.set(session_id, head);
  }
}
