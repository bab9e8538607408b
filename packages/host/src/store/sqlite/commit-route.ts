import { limits } from '@rostra/protocol/wire/limits';
import type { ClaimCallback, CommitCallback, Unit } from '../port.ts';
import { JournalWriter } from './journal-writer.ts';
import { KnownHeads } from './known-heads.ts';
import { packUnits } from './packed-units.ts';
import { isPlain } from './plain-unit.ts';
import type { Unsettled } from './unsettled.ts';
import type { RequestOf, WorkerAnswers, WorkerMethod } from './worker-message.ts';
import type { WorkerThread } from './worker-thread.ts';
import type { StoreDurability } from './writer.ts';

export interface CommitRouteOptions {
  readonly writer: Pick<WorkerThread, 'call' | 'ask' | 'tell' | 'hasEnded'>;
  readonly unsettled: Unsettled;
  readonly durability: StoreDurability;
  /** Units of one commit that make a crowd. */
  readonly crowd?: number | undefined;
}

/**
 * The way of a commit. Alone, the writer's thread writes it into the tables. In a crowd, and as long as something waits
 * there, it goes into the journal, and is committed by that; the writer's thread writes its rows later.
 *
 * Only what is sure to be written goes into the journal: its log is known to stand where each unit begins, and nothing that
 * the unit writes can be there already. Everything else is left to the tables, which refuse and fence.
 */
export class CommitRoute {
  readonly #options: CommitRouteOptions;
  readonly #crowd: number;
  readonly #heads = new KnownHeads();
  #journal: JournalWriter | null = null;

  constructor(options: CommitRouteOptions) {
    this.#options = options;
    this.#crowd = options.crowd ?? limits.journal_crowd;
  }

  /** From now on there is a journal: nobody else writes to this database. */
  open(path: string, salt: number): void {
    const { writer } = this.#options;
    this.#journal = new JournalWriter({
      path,
      salt,
      landed: (news) => writer.tell(news),
      refill: () => writer.ask({ method: 'refill' }),
    });
  }

  commit(units: Unit[], done: CommitCallback): void {
    if (this.#journal !== null && this.#mayWait(this.#journal, units)) this.#enter(this.#journal, units, done);
    else this.#write(units, done);
  }

  claim(session_id: string, holder: string, done: ClaimCallback): void {
    const asked = this.#heads.ask([{ session_id }]);
    this.#inOrder(() =>
      this.#options.writer.call({ method: 'claim', session_id, holder }, (error, claimed) => {
        if (error === null) this.#heads.claimed(asked, session_id, claimed);
        done(error, claimed);
      }),
    );
  }

  /** Asks the writer for what may take sessions away: behind all that is on its way into the journal. */
  ask<M extends WorkerMethod>(request: RequestOf<M>): Promise<WorkerAnswers[M]> {
    this.#heads.forgetAll();
    return new Promise((resolve, reject) => {
      this.#inOrder(() => this.#options.writer.ask<M>(request).then(resolve, reject));
    });
  }

  async close(): Promise<void> {
    await this.#journal?.close();
  }

  #inOrder(next: () => void): void {
    if (this.#journal === null) next();
    else this.#journal.whenLanded(next);
  }

  #mayWait(journal: JournalWriter, units: readonly Unit[]): boolean {
    const { unsettled, writer } = this.#options;
    const { waiting } = unsettled;
    const isCrowded = units.length >= this.#crowd || waiting > 0 || journal.isBusy;
    // Without the writer nobody would write their rows.
    if (!isCrowded || !journal.isOpen || writer.hasEnded || waiting + units.length > limits.journal_units) return false;
    return units.every((unit) => unit.fresh && isPlain(unit) && this.#heads.precede(unit));
  }

  #enter(journal: JournalWriter, units: readonly Unit[], done: CommitCallback): void {
    const { unsettled, durability } = this.#options;
    this.#heads.advance(units);
    unsettled.add(units.length);
    journal.append({
      packed: packUnits(units),
      sessions: units.map(({ session_id }) => session_id),
      flush: durability === 'flush' || units.some((unit) => unit.flush),
      done: (error) => {
        if (error === null) {
          done(
            null,
            units.map(() => 'committed'),
          );
          return;
        }
        unsettled.remove(units.length);
        // Nobody answers this: the tables are asked when the next unit comes.
        this.#heads.ask(units);
        done(error, []);
      },
    });
  }

  #write(units: readonly Unit[], done: CommitCallback): void {
    const asked = this.#heads.ask(units);
    this.#options.writer.call({ method: 'commit', units: packUnits(units) }, (error, results) => {
      if (results !== null) {
        this.#heads.committed(asked, units, results);
        this.#journal?.mend();
      }
      done(error, results ?? []);
    });
  }
}
