import type { MemoryStore } from '@rostra/host/store/memory/memory-store';
import type {
  ClaimCallback,
  CommitCallback,
  MessageCallback,
  SegmentsCallback,
  SessionStore,
  TurnRow,
  Unit,
} from '@rostra/host/store/port';
import type { Decisions } from './decisions.ts';
import type { FaultCount } from './fault-count.ts';
import type { Rates } from './profile.ts';
import type { Timeline } from './timeline.ts';

export interface StoreSurroundings {
  timeline: Timeline;
  decisions: Decisions;
  faults: FaultCount;
  rates: Rates;
  inner: MemoryStore;
  /** The unit is in the log, whether or not its driver will ever hear of it. */
  committed(unit: Unit): void;
  /** How many steps of this unit's session wait for a commit. */
  stepsIn(unit: Unit): number;
  /** The store itself refused, which nobody asked it to. */
  refused(error: Error): void;
}

/** The store as one process sees it: sometimes slow, sometimes failing, and not the only one who may claim a session. */
export class SimStore implements SessionStore {
  readonly #around: StoreSurroundings;
  readonly #name: string;
  #count = 0;
  isAlive = true;

  constructor(name: string, around: StoreSurroundings) {
    this.#name = name;
    this.#around = around;
  }

  claim(session_id: string, done: ClaimCallback): void {
    const { decisions, rates, inner } = this.#around;
    const key = `claim:${session_id}:${this.#next()}`;
    if (decisions.decide(`fails@${key}`, rates.failedCommit)) {
      this.#later(key, () => done(new Error('the store is away'), null));
      return;
    }
    this.#later(key, () => inner.claim(session_id, done));
  }

  commit(units: Unit[], done: CommitCallback): void {
    const { decisions, rates, faults, inner } = this.#around;
    const key = `commit:${this.#next()}`;
    const steps = units.map((unit) => this.#around.stepsIn(unit));
    if (steps.some((count) => count > 1)) faults.add('unit.multi_step');
    if (decisions.decide(`fails@${key}`, rates.failedCommit)) {
      faults.add('commit.fails');
      this.#later(key, () => done(new Error('the disk is full'), []));
      return;
    }
    if (units.length > 1 && decisions.decide(`fenced@${key}`, rates.fencedUnit)) {
      const unit = decisions.prng(`fenced:${key}`).pick(units);
      // Another owner was here. A session that it does not know yet cannot be claimed.
      inner.claim(unit.session_id, (error, claimed) => {
        if (error === null && claimed !== null) faults.add('unit.fenced');
      });
    }
    const write = () => {
      let answer: Parameters<CommitCallback> = [null, []];
      inner.commit(units, (error, results) => {
        answer = [error, results];
      });
      if (answer[0] !== null) this.#around.refused(answer[0]);
      for (const [index, unit] of units.entries()) if (answer[1][index] === 'committed') this.#around.committed(unit);
      return answer;
    };
    // A crash may come before the commit, or between the commit and its report.
    if (decisions.prng(`early:${key}`).chance(0.5)) {
      const answer = write();
      this.#later(key, () => done(...answer));
    } else {
      this.#later(key, () => done(...write()));
    }
  }

  readAt(session_id: string, seqs: number[], done: SegmentsCallback): void {
    this.#later(`read:${this.#next()}`, () => this.#around.inner.readAt(session_id, seqs, done));
  }

  findMessage(session_id: string, message_id: string, done: MessageCallback): void {
    this.#later(`find:${this.#next()}`, () => this.#around.inner.findMessage(session_id, message_id, done));
  }

  #next(): string {
    this.#count += 1;
    return `${this.#name}.${this.#count}`;
  }

  #later(key: string, task: () => void): void {
    const { decisions, rates, timeline } = this.#around;
    if (!decisions.decide(`slow@${key}`, rates.slowCommit)) {
      task();
      return;
    }
    const delay = decisions.prng(`slow:${key}`).pick([1, 2, 5, 20, 40]);
    timeline.at(timeline.now + delay, 'store', () => {
      if (this.isAlive) task();
    });
  }

  readSegments(): Promise<never> {
    throw new Error('nobody reads in here');
  }

  readHead(): Promise<never> {
    throw new Error('nobody reads in here');
  }

  findTurn(): Promise<TurnRow | null> {
    throw new Error('nobody reads in here');
  }

  listUnfinished(): Promise<string[]> {
    throw new Error('the world knows');
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
