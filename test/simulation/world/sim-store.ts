import type { MemoryStore } from '@rostra/host/store/memory/memory-store';
import type {
  ClaimCallback,
  CommitCallback,
  MessageCallback,
  NamesCallback,
  RenewCallback,
  SegmentsCallback,
  SessionStore,
  Unit,
} from '@rostra/host/store/port';
import { limits } from '@rostra/protocol/wire/limits';
import type { Decisions } from './decisions.ts';
import type { FaultCount } from './fault-count.ts';
import type { FaultKind } from './fault-kind.ts';
import type { Rates } from './profile.ts';
import type { SimProcess } from './sim-process.ts';
import type { Timeline } from './timeline.ts';

export interface StoreSurroundings {
  timeline: Timeline;
  decisions: Decisions;
  faults: FaultCount;
  rates: Rates;
  inner: MemoryStore;
  /** The unit is in the log, whether or not its driver will ever hear of it. */
  committed(host: SimProcess, unit: Unit): void;
  /** The store refused the unit: another owner was here. */
  fenced(host: SimProcess, unit: Unit): void;
  claimed(host: SimProcess, session_id: string, error: Error | null): void;
  renewed(host: SimProcess): void;
  released(host: SimProcess, session_id: string): void;
  /** How many steps of this unit's session wait for a commit. */
  stepsIn(host: SimProcess, unit: Unit): number;
  /** The store itself refused, which nobody asked it to. */
  refused(error: Error): void;
  crashAt(host: SimProcess, kind: FaultKind, name: string): void;
}

/** The store as one process sees it: sometimes slow, sometimes failing, and not the only one who may claim a session. */
export class SimStore implements SessionStore {
  readonly #around: StoreSurroundings;
  readonly #host: SimProcess;
  #count = 0;

  constructor(host: SimProcess, around: StoreSurroundings) {
    this.#host = host;
    this.#around = around;
  }

  claim(session_id: string, holder: string, done: ClaimCallback): void {
    const { decisions, rates, inner } = this.#around;
    const key = `claim:${session_id}:${this.#next()}`;
    if (decisions.decide(`fails@${key}`, rates.failedCommit)) {
      this.#later(key, () => done(new Error('the store is away'), null));
      return;
    }
    this.#later(key, () => {
      inner.claim(session_id, holder, (error, claimed) => {
        // A session that does not exist yet is nobody's.
        if (error !== null || claimed !== null) this.#around.claimed(this.#host, session_id, error);
        if (claimed !== null && this.#crashes('crash.at_load', key)) return;
        done(error, claimed);
      });
    });
  }

  /** A renewal may come when the lease is just about to run out, has just run out, or did so a while ago. */
  renew(holder: string, done: RenewCallback): void {
    const { decisions, rates, faults, timeline } = this.#around;
    const key = `renew:${this.#next()}`;
    if (!decisions.decide(`late@${key}`, rates.renewLate)) {
      this.#renew(holder, done);
      return;
    }
    faults.add('lease.renewed_late');
    // The one before was a third of the lease ago.
    const left = (limits.lease * 2) / 3;
    const delay = decisions.prng(key).pick([left - 1, left, left + 1, left + 200]);
    timeline.at(timeline.now + delay, 'store', () => this.#host.gate.enter(() => this.#renew(holder, done)));
  }

  #renew(holder: string, done: RenewCallback): void {
    this.#around.renewed(this.#host);
    this.#around.inner.renew(holder, done);
  }

  release(session_id: string, holder: string, done?: (error: Error | null) => void): void {
    this.#around.faults.add('session.leaves_memory');
    this.#around.released(this.#host, session_id);
    this.#around.inner.release(session_id, holder, done);
  }

  commit(units: Unit[], done: CommitCallback): void {
    const { decisions, rates, faults } = this.#around;
    const key = `commit:${this.#next()}`;
    const steps = units.map((unit) => this.#around.stepsIn(this.#host, unit));
    if (steps.some((count) => count > 1)) faults.add('unit.multi_step');
    if (decisions.decide(`fails@${key}`, rates.failedCommit)) {
      faults.add('commit.fails');
      this.#later(key, () => done(new Error('the disk is full'), []));
      return;
    }
    // Most of them among others, which must commit all the same.
    const fencing = units.length > 1 ? rates.fencedUnit : rates.fencedUnit / 20;
    if (decisions.decide(`fenced@${key}`, fencing)) this.#fence(units, key);
    if (this.#crashes('crash.before_commit', key)) return;
    const answer = (result: Parameters<CommitCallback>) => {
      for (const [index, unit] of units.entries()) {
        if (result[1][index] === 'fenced') this.#around.fenced(this.#host, unit);
      }
      done(...result);
    };
    // A crash may come before the commit, or between the commit and its report.
    if (decisions.prng(`early:${key}`).chance(0.5)) {
      const result = this.#write(units);
      if (this.#crashes('crash.after_commit', key)) return;
      this.#later(key, () => answer(result));
    } else {
      this.#later(key, () => {
        const result = this.#write(units);
        if (!this.#crashes('crash.after_commit', key)) answer(result);
      });
    }
  }

  #write(units: Unit[]): Parameters<CommitCallback> {
    let answer: Parameters<CommitCallback> = [null, []];
    this.#around.inner.commit(units, (error, results) => {
      answer = [error, results];
    });
    if (answer[0] !== null) this.#around.refused(answer[0]);
    for (const [index, unit] of units.entries()) {
      if (answer[1][index] === 'committed') this.#around.committed(this.#host, unit);
    }
    return answer;
  }

  /** Another driver was here, of the same process for all that the lease knows. */
  #fence(units: Unit[], key: string): void {
    const { decisions, faults, inner } = this.#around;
    const unit = decisions.prng(`fenced:${key}`).pick(units);
    // A session that the store does not know yet cannot be claimed.
    inner.claim(unit.session_id, this.#host.name, (error, claimed) => {
      if (error !== null || claimed === null) return;
      faults.add('unit.fenced');
      this.#around.claimed(this.#host, unit.session_id, null);
    });
  }

  #crashes(kind: FaultKind, key: string): boolean {
    const { decisions, rates } = this.#around;
    if (!decisions.decide(`${kind}@${key}`, rates.crashAt)) return false;
    this.#around.crashAt(this.#host, kind, `${kind}:${key}`);
    return true;
  }

  readAt(session_id: string, seqs: number[], done: SegmentsCallback): void {
    this.#later(`read:${this.#next()}`, () => this.#around.inner.readAt(session_id, seqs, done));
  }

  readNames(session_id: string, done: NamesCallback): void {
    const { decisions, rates, inner } = this.#around;
    const key = `names:${this.#next()}`;
    // As of a session with very many messages: who looks for one must ask.
    const unnamed = decisions.decide(`unnamed@${key}`, rates.unnamed);
    this.#later(key, () => inner.readNames(session_id, (error, names) => done(error, unnamed ? null : names)));
  }

  findMessage(session_id: string, message_id: string, done: MessageCallback): void {
    this.#later(`find:${this.#next()}`, () => this.#around.inner.findMessage(session_id, message_id, done));
  }

  #next(): string {
    this.#count += 1;
    return `${this.#host.name}.${this.#count}`;
  }

  #later(key: string, task: () => void): void {
    const { decisions, rates, timeline } = this.#around;
    if (!decisions.decide(`slow@${key}`, rates.slowCommit)) {
      task();
      return;
    }
    const delay = decisions.prng(`slow:${key}`).pick([1, 2, 5, 20, 40]);
    timeline.at(timeline.now + delay, 'store', () => this.#host.gate.enter(task));
  }

  readSegments(): Promise<never> {
    throw new Error('nobody reads in here');
  }

  readHead(): Promise<never> {
    throw new Error('nobody reads in here');
  }

  findTurn(): Promise<never> {
    throw new Error('nobody reads in here');
  }

  listUnfinished(): Promise<string[]> {
    throw new Error('the world knows');
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
