import type { Committed } from '@rostra/host/bus/port';
import { MemoryStore } from '@rostra/host/store/memory/memory-store';
import type { MemorySession } from '@rostra/host/store/memory/memory-tables';
import type { Unit } from '@rostra/host/store/port';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { Oracle, Verdict } from '../invariants/oracle.ts';
import { Decisions } from './decisions.ts';
import { FaultCount } from './fault-count.ts';
import { Frontend } from './frontend.ts';
import { LogAudit } from './log-audit.ts';
import { observeSteps } from './observed-step.ts';
import { drawProfile, type Profile } from './profile.ts';
import { RaceWatch } from './race-watch.ts';
import { Reflexes } from './reflexes.ts';
import type { Scene } from './scene.ts';
import { segmentHash } from './segment-hash.ts';
import { type HostSurroundings, SimHost } from './sim-host.ts';
import { Submissions } from './submissions.ts';
import { Timeline } from './timeline.ts';
import { UserDesk } from './user-desk.ts';

const YEAR = 365 * 24 * 3_600_000;
/** The part of all logs that is stepped again: it costs as much as all the rest. */
export const AUDITED = 0.25;
const EPOCH = 1_800_000_000_000;

/** Everything in one schedule: the store that survives, the process that may not, the people, and who watches them. */
export class World implements Scene, HostSurroundings {
  readonly decisions: Decisions;
  readonly timeline: Timeline;
  readonly profile: Profile;
  readonly faults = new FaultCount();
  readonly verdict = new Verdict();
  readonly inner = new MemoryStore({ hash: segmentHash });
  readonly desk: UserDesk;
  readonly submissions: Submissions;
  readonly corrupted = new Set<string>();
  readonly sessions: readonly string[];
  readonly audit: LogAudit;
  host: SimHost | null = null;
  messages = 0;
  #boots = 0;
  #offset = EPOCH;
  readonly #oracles = new Map<string, Oracle>();
  readonly #screens = new Map<string, Frontend>();
  readonly #watches = new Map<string, RaceWatch>();
  readonly #published = new Map<string, number>();
  readonly #owed = new Map<string, Set<string>>();
  readonly #damaged = new Map<string, string>();

  constructor(seed: number, allowed: readonly string[] | null) {
    this.decisions = new Decisions(seed, allowed);
    this.timeline = new Timeline(seed);
    this.profile = drawProfile(this.decisions.prng('profile'));
    this.desk = new UserDesk(this.profile);
    this.submissions = new Submissions(this);
    this.audit = new LogAudit(this.verdict);
    this.sessions = Array.from({ length: this.profile.sessions }, (_, n) => `s${n}`);
    const reflexes = new Reflexes(this, (mail) => this.submissions.submit(mail));
    for (const id of this.sessions) {
      this.#oracles.set(id, new Oracle(this.verdict));
      this.#watches.set(id, new RaceWatch(this.faults));
      this.#screens.set(id, new Frontend(id, (record) => reflexes.see(record)));
    }
    observeSteps((before, message, { context, publish }) => {
      this.messages += 1;
      const { now } = this.timeline;
      const seen = { before, message, after: context, publish, at: now, seq: message.seq ?? 0 };
      const oracle = this.oracle(before.session_id);
      this.#watches.get(before.session_id)?.see(seen, oracle.ledger);
      oracle.observe(seen);
      for (const out of publish) if (out.target === 'AGENT') this.#published.set(out.id, now);
    });
  }

  get rates() {
    return this.profile.rates;
  }

  oracle(session_id: string): Oracle {
    const oracle = this.#oracles.get(session_id);
    if (oracle === undefined) throw new Error(`nobody watches ${session_id}`);
    return oracle;
  }

  screen(session_id: string): Frontend {
    const screen = this.#screens.get(session_id);
    if (screen === undefined) throw new Error(`nobody sees ${session_id}`);
    return screen;
  }

  stored(session_id: string): MemorySession | undefined {
    return this.inner.tables.sessions.get(session_id);
  }

  publishedAt(id: string): number {
    return this.#published.get(id) ?? this.timeline.now;
  }

  steering(session_id: string, turn_id: string): string[] {
    return this.screen(session_id).steering.get(turn_id) ?? [];
  }

  raceCancel(session_id: string, turn_id: string, name: string): void {
    const message = this.desk.control(session_id, `race:${name}`, 'CANCEL', { turn_id });
    this.timeline.at(this.timeline.now, 'user:race', () => this.submissions.submit({ message }));
  }

  /** D3, D4: what leaves was committed, and what is owed leaves again after a restart. */
  left(message: SessionMessage): void {
    const { ledger } = this.oracle(message.session_id);
    this.verdict.met('D3');
    if (!ledger.published.has(message.id)) this.verdict.broken('D3', `${message.id} left before its commit`);
    if (message.epoch === ledger.epoch) this.#owed.get(message.session_id)?.delete(message.id);
  }

  announced(committed: Committed): void {
    const { session_id, records } = committed;
    const last = records.at(-1)?.seq ?? 0;
    this.verdict.met('D3.announce');
    if (last > (this.stored(session_id)?.row.last_seq ?? 0)) this.verdict.broken('D3', `${last} was shown too early`);
    const wrong = this.screen(session_id).see(committed);
    if (wrong !== null) this.verdict.broken('L1', `frontends of ${session_id}: ${wrong}`);
  }

  stepsIn(unit: Unit): number {
    return this.oracle(unit.session_id).ahead;
  }

  committed(unit: Unit): void {
    const oracle = this.oracle(unit.session_id);
    const { epoch } = oracle.ledger;
    oracle.committed(unit.last_seq);
    if (oracle.ledger.epoch > epoch && epoch > 0) this.#expectResends(unit.session_id);
  }

  refused(error: Error): void {
    this.verdict.broken('L2', `the store refused a unit: ${error.message}`);
  }

  /** What the SessionManager was asked and has not answered is asked again by the new owner. */
  #expectResends(session_id: string): void {
    const { book } = this.oracle(session_id).ledger;
    const requests = [...book.pending.values()].flatMap((tx) => tx.request_id ?? []);
    const owed = new Set(requests);
    this.#owed.set(session_id, owed);
    const { host } = this;
    const { epoch } = this.oracle(session_id).ledger;
    this.timeline.at(this.timeline.now + 100, 'audit', () => {
      const { ledger } = this.oracle(session_id);
      if (this.host !== host || ledger.epoch !== epoch || this.#owed.get(session_id) !== owed) return;
      if (host?.runtime.driver(session_id)?.epoch !== epoch) return;
      if (requests.length > 0) this.verdict.met('D4');
      for (const tx of ledger.book.pending.values()) {
        if (owed.has(tx.request_id ?? '')) this.verdict.broken('D4', `${tx.request_id} was not sent again`);
      }
    });
  }

  report(event: string, details: Record<string, unknown>): void {
    const session_id = String(details.session_id);
    if (event === 'session.dropped') this.#dropped(session_id);
    if (event !== 'session.poisoned') return;
    const error = String(details.error);
    const invariant = /^InvariantError: (\w+):/.exec(error)?.[1] ?? 'M4';
    this.verdict.broken(invariant, `${details.subtype}: ${error.split('\n').slice(0, 3).join(' ')}`);
  }

  #dropped(session_id: string): void {
    this.oracle(session_id).dropped();
    this.#resume(session_id);
  }

  /** Frontends that were cut off read on from where the log ends. */
  #resume(session_id: string): void {
    this.screen(session_id).seq = null;
  }

  boot(): void {
    this.#boots += 1;
    const name = `boot:${this.#boots}`;
    const prng = this.decisions.prng(name);
    if (this.#boots > 1 && this.decisions.decide(`jump@${name}`, this.rates.jump)) {
      this.faults.add('clock.jumps');
      this.#offset += prng.pick([-YEAR, -3_600_000, 3_600_000, YEAR]);
    }
    this.host = new SimHost(name, this.#offset, this);
    for (const id of this.#unfinished()) {
      if (this.corrupted.has(id)) this.#expectCorrupt(id);
      else this.host.runtime.recover(id);
    }
  }

  /** As a host finds out what it must attend to when it starts. */
  #unfinished(): string[] {
    return this.sessions.filter((id) => {
      const session = this.stored(id);
      if (session === undefined) return false;
      const live = [...this.inner.tables.turns.values()].some((row) => row.session_id === id && row.ended_at === null);
      return session.outbox.size > 0 || live || this.corrupted.has(id);
    });
  }

  #expectCorrupt(session_id: string): void {
    this.host?.runtime.withSession(session_id, null, (error, driver) => {
      this.verdict.met('L6');
      if (error?.name !== 'CorruptLogError') {
        if (driver !== null) this.verdict.broken('L6', `the damaged log of ${session_id} was taken for good`);
      }
    });
  }

  crash(name: string, power: boolean): void {
    const { host } = this;
    if (host === null) return;
    this.faults.add(power ? 'crash.power' : 'crash.process');
    const prng = this.decisions.prng(name);
    host.kill();
    this.host = null;
    const leftovers = [...host.bus.inFlight].filter(({ topic }) => topic === 'session');
    if (power) this.#cutPower();
    for (const id of this.sessions) this.#survive(id, prng.unit());
    this.submissions.checkPromises();
    this.timeline.at(this.timeline.now + prng.pick([1, 20, 700]), 'boot', () => {
      this.boot();
      for (const { message } of leftovers) this.#deliverLeftover(message);
    });
  }

  /** What was damaged may be among what is lost. */
  #cutPower(): void {
    this.inner.crash({ power: true });
    for (const [id, body] of this.#damaged) {
      if (this.stored(id)?.segments.at(-1)?.body !== body) this.corrupted.delete(id);
    }
  }

  #survive(session_id: string, cut: number): void {
    const oracle = this.oracle(session_id);
    const session = this.stored(session_id);
    const last_seq = session?.row.last_seq ?? 0;
    const before = oracle.ledger.last?.seq ?? 0;
    oracle.cut(last_seq);
    if (before > last_seq) this.faults.add('power.drops_tail');
    this.#resume(session_id);
    if (session !== undefined && !this.corrupted.has(session_id) && cut < AUDITED) {
      this.audit.check(session, oracle.ledger.last?.after ?? null, cut / AUDITED);
    }
  }

  /** A message of the process before reaches the new one. */
  #deliverLeftover(message: SessionMessage): void {
    if (!this.decisions.decide(`leftover@${message.id}#${this.#boots}`, 0.5)) return;
    this.faults.add('message.stale');
    const delay = this.decisions.prng(`leftover:${message.id}`).pick([0, 5, 100]);
    this.host?.bus.deliverExactly(this.timeline.now + delay, message);
  }

  /** Flips or tears something in the part of the log that a new owner reads. */
  corrupt(name: string, session_id: string): void {
    const session = this.stored(session_id);
    const segment = session?.segments.at(-1);
    if (session === undefined || segment === undefined || this.host === null) return;
    this.crash(name, false);
    this.faults.add('log.corrupt');
    const prng = this.decisions.prng(`corrupt:${name}`);
    const { body } = segment;
    const at = prng.below(body.length - 1);
    const flipped = body[at] === '7' ? '8' : '7';
    const damaged = prng.chance(0.5) ? body.slice(0, at) : `${body.slice(0, at)}${flipped}${body.slice(at + 1)}`;
    session.segments[session.segments.length - 1] = { ...segment, body: damaged };
    this.corrupted.add(session_id);
    this.#damaged.set(session_id, damaged);
  }
}
