import type { Committed } from '@rostra/host/bus/port';
import type { Unit } from '@rostra/host/store/port';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { limits } from '@rostra/protocol/wire/limits';
import { isInput } from '../invariants/observation.ts';
import type { Scene } from './scene.ts';
import type { SimHost } from './sim-host.ts';

/** How long after it was fenced an owner may take to tell its runner. */
const AT_ONCE = 1;

/** C1, C3, D4: who may write a session, what a fenced owner still does, and what a new one must send again. */
export class OwnerWatch {
  readonly #scene: Scene;
  /** The last epoch that a process lost, by process and session. */
  readonly #lost = new Map<string, number>();
  readonly #ended = new Set<string>();
  readonly #owed = new Map<string, Set<string>>();

  /** Leases by the clock of the store, written down a second time. */
  readonly #held = new Map<string, string>();
  readonly #until = new Map<string, number>();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** C4: a claim succeeds exactly when no other process holds the session by the store's clock. */
  claimed(host: SimHost, session_id: string, isRefused: boolean): void {
    const { verdict, timeline } = this.#scene;
    const holder = this.#held.get(session_id);
    const other = holder !== undefined && holder !== host.name && (this.#until.get(holder) ?? 0) > timeline.now;
    verdict.met(isRefused ? 'C4.refused' : 'C4');
    if (other !== isRefused) verdict.broken('C4', `${session_id} is held by ${holder}, ${host.name} got it: ${other}`);
    if (!isRefused) this.#hold(host, session_id);
  }

  created(host: SimHost, session_id: string): void {
    this.#hold(host, session_id);
  }

  #hold({ name }: SimHost, session_id: string): void {
    const { now } = this.#scene.timeline;
    this.#held.set(session_id, name);
    if ((this.#until.get(name) ?? 0) <= now) this.#until.set(name, now + limits.lease);
  }

  renewed({ name }: SimHost): void {
    this.#until.set(name, this.#scene.timeline.now + limits.lease);
  }

  released({ name }: SimHost, session_id: string): void {
    if (this.#held.get(session_id) === name) this.#held.delete(session_id);
  }

  /** V4: at rest nobody who lives holds anything. */
  checkReleased(hosts: readonly SimHost[], session_id: string): void {
    const holder = hosts.find(({ name }) => name === this.#held.get(session_id));
    if (holder !== undefined) this.#scene.verdict.broken('V4', `${session_id} rests and ${holder.name} holds it`);
  }

  committed(unit: Unit): void {
    const { verdict } = this.#scene;
    const row = this.#scene.stored(unit.session_id)?.row;
    verdict.met('C1');
    if (row?.epoch !== unit.epoch) verdict.broken('C1', `epoch ${unit.epoch} wrote while ${row?.epoch} owns it`);
  }

  /** C3: nothing more leaves under this epoch, and the run that it had is told to stop. */
  fenced(host: SimHost, { session_id, epoch }: Unit): void {
    const { verdict, timeline } = this.#scene;
    verdict.met('C1.refused');
    this.#lost.set(`${host.name} ${session_id}`, epoch);
    // A run whose turn had ended before may talk on: nobody waits for it, and it is no business of the fence.
    const { turns } = this.#scene.oracle(session_id).ledger;
    const hadEnded = (run_id: string) =>
      [...turns.values()].some(({ id, end }) => run_id.startsWith(`${id}.`) && end !== null && end.epoch <= epoch);
    const runs = host.agents.running(session_id, epoch).filter((run_id) => !hadEnded(run_id));
    if (runs.length === 0) return;
    timeline.at(timeline.now + AT_ONCE, 'audit', () => {
      if (!host.isAlive || host.isPaused) return;
      verdict.met('C3');
      for (const run_id of runs) {
        if (!this.#ended.has(`${host.name} ${run_id}`)) verdict.broken('C3', `${run_id} was left to itself`);
      }
    });
  }

  left(host: SimHost, message: SessionMessage): void {
    const { session_id, epoch } = message;
    if (message.subtype === 'REQUEST_TERMINATE_RUN') {
      this.#ended.add(`${host.name} ${message.payload.run_id}`);
      if (message.sender.kind === 'driver') return;
    }
    this.#checkSilence(host, session_id, epoch, message.id);
    const { ledger } = this.#scene.oracle(session_id);
    const current = ledger.turns.get(message.turn_id ?? '')?.run_id;
    // An owner that has not heard yet that it was replaced still sends what it committed.
    if (isInput(message) && current !== message.run_id && epoch === ledger.epoch) {
      this.#scene.verdict.broken('T10', `${message.run_id} is sent, the turn is at ${current}`);
    }
    if (epoch === ledger.epoch) this.#owed.get(session_id)?.delete(message.id);
  }

  announced(host: SimHost, { session_id, epoch, records }: Committed): void {
    this.#checkSilence(host, session_id, epoch, `record ${records[0]?.seq}`);
  }

  #checkSilence(host: SimHost, session_id: string, epoch: number, what: string): void {
    const lost = this.#lost.get(`${host.name} ${session_id}`) ?? 0;
    if (epoch <= lost) this.#scene.verdict.broken('C3', `${what} left after its owner was fenced`);
  }

  /** D4: what the SessionManager was asked and has not answered is asked again by the new owner. */
  expectResends(host: SimHost, session_id: string): void {
    const { timeline, verdict } = this.#scene;
    const { book, epoch } = this.#scene.oracle(session_id).ledger;
    const requests = [...book.pending.values()].flatMap((tx) => tx.request_id ?? []);
    const owed = new Set(requests);
    this.#owed.set(session_id, owed);
    const pauses = host.pauses;
    timeline.at(timeline.now + 100, 'audit', () => {
      const { ledger } = this.#scene.oracle(session_id);
      if (!host.isAlive || host.isPaused || host.pauses !== pauses) return;
      if (ledger.epoch !== epoch || this.#owed.get(session_id) !== owed) return;
      if (host.runtime.driver(session_id)?.epoch !== epoch) return;
      if (requests.length > 0) verdict.met('D4');
      for (const tx of ledger.book.pending.values()) {
        if (owed.has(tx.request_id ?? '')) verdict.broken('D4', `${tx.request_id} was not sent again`);
      }
    });
  }
}
