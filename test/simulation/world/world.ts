import type { Committed } from '@rostra/host/bus/port';
import { MemoryStore } from '@rostra/host/store/memory/memory-store';
import type { MemorySession } from '@rostra/host/store/memory/memory-tables';
import type { Unit } from '@rostra/host/store/port';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { Oracle, Verdict } from '../invariants/oracle.ts';
import { Cluster, type ClusterSurroundings } from './cluster.ts';
import { Decisions } from './decisions.ts';
import { FaultCount } from './fault-count.ts';
import type { FaultKind } from './fault-kind.ts';
import { Frontend } from './frontend.ts';
import { LogAudit } from './log-audit.ts';
import { observeSteps } from './observed-step.ts';
import { OwnerWatch } from './owner-watch.ts';
import type { Prng } from './prng.ts';
import { drawProfile, type Profile } from './profile.ts';
import { RaceWatch } from './race-watch.ts';
import { Reflexes } from './reflexes.ts';
import type { Scene } from './scene.ts';
import { segmentHash } from './segment-hash.ts';
import type { SimHost } from './sim-host.ts';
import { Submissions } from './submissions.ts';
import { Timeline } from './timeline.ts';
import { UserDesk } from './user-desk.ts';

/** The part of all logs that is stepped again: it costs as much as all the rest. */
export const AUDITED = 0.25;
const INJECTED = 'injected by the schedule';

/** Everything in one schedule: the store that survives, the processes that may not, the people, and who watches them. */
export class World implements Scene, ClusterSurroundings {
  readonly decisions: Decisions;
  readonly timeline: Timeline;
  readonly profile: Profile;
  readonly faults = new FaultCount();
  readonly verdict = new Verdict();
  /** Leases are measured by its clock, and by no other. */
  readonly inner = new MemoryStore({ hash: segmentHash, now: () => this.timeline.now });
  readonly desk: UserDesk;
  readonly submissions: Submissions;
  readonly corrupted = new Set<string>();
  readonly sessions: readonly string[];
  readonly audit: LogAudit;
  readonly cluster: Cluster;
  readonly owners: OwnerWatch;
  messages = 0;
  /** The process that something happens in right now. */
  #current = '';
  readonly #oracles = new Map<string, Oracle>();
  readonly #screens = new Map<string, Frontend>();
  readonly #watches = new Map<string, RaceWatch>();
  readonly #published = new Map<string, number>();
  readonly #damaged = new Map<string, string>();

  constructor(seed: number, allowed: readonly string[] | null) {
    this.decisions = new Decisions(seed, allowed);
    this.timeline = new Timeline(seed);
    this.profile = drawProfile(this.decisions.prng('profile'));
    this.desk = new UserDesk(this.profile);
    this.submissions = new Submissions(this);
    this.audit = new LogAudit(this.verdict, this.inner.tables.interactions);
    this.owners = new OwnerWatch(this);
    this.cluster = new Cluster(this, this.profile.hosts);
    this.sessions = Array.from({ length: this.profile.sessions }, (_, n) => `s${n}`);
    const reflexes = new Reflexes(this, (mail) => this.submissions.submit(mail));
    for (const id of this.sessions) {
      this.#oracles.set(id, new Oracle(this.verdict));
      this.#watches.set(id, new RaceWatch(this.faults));
      this.#screens.set(id, new Frontend(id, (record) => reflexes.see(record)));
    }
    observeSteps({
      before: (message) => this.#beforeStep(message),
      after: (before, message, { context, publish }) => {
        this.messages += 1;
        const { now } = this.timeline;
        const seen = { before, message, after: context, publish, at: now, seq: message.seq ?? 0 };
        const oracle = this.oracle(before.session_id);
        this.#watches.get(before.session_id)?.see(seen, oracle.ledger);
        oracle.observe(this.#current, seen);
        for (const out of publish) if (out.target === 'AGENT') this.#published.set(out.id, now);
      },
    });
  }

  /** Some messages make the handler throw: a bug that nobody has found yet. */
  #beforeStep(message: SessionMessage): void {
    if (message.sender.kind === 'driver' && message.event === 'CONTROL') return;
    if (!this.decisions.decide(`throws@${message.id}#${message.epoch}`, this.rates.throws)) return;
    this.faults.add('handler.throws');
    throw new Error(INJECTED);
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

  /** D3: what leaves was committed. */
  left(host: SimHost, message: SessionMessage): void {
    this.owners.left(host, message);
    if (message.sender.kind === 'driver') return;
    const { ledger } = this.oracle(message.session_id);
    this.verdict.met('D3');
    if (!ledger.published.has(message.id)) this.verdict.broken('D3', `${message.id} left before its commit`);
    this.#checkResume(message);
  }

  /** A further attempt is told exactly what frontends were shown of the turn. */
  #checkResume(message: SessionMessage): void {
    if (message.event !== 'USER_INPUT' || message.payload.resume === undefined) return;
    const { said, interaction_answer } = message.payload.resume;
    const shown = this.oracle(message.session_id).ledger.turns.get(message.turn_id ?? '')?.shown ?? '';
    this.verdict.met('T10.said');
    this.faults.add('turn.resumed');
    if (interaction_answer !== undefined) this.faults.add('turn.resumed_by_answer');
    if (said !== shown) this.verdict.broken('T10', `${message.run_id} is told "${said}", shown was "${shown}"`);
  }

  announced(host: SimHost, committed: Committed): void {
    const { session_id, records, epoch } = committed;
    const last = records.at(-1)?.seq ?? 0;
    this.owners.announced(host, committed);
    this.verdict.met('D3.announce');
    // The newest ones: what is shown was written a moment ago.
    const segments = this.stored(session_id)?.segments ?? [];
    const segment = segments.findLast(({ first_seq }) => first_seq <= last);
    if (segment === undefined || segment.last_seq < last) this.verdict.broken('D3', `${last} was shown too early`);
    if (segment?.epoch !== epoch) this.verdict.broken('D3', `${last} was shown by ${epoch}, the log has another`);
    const wrong = this.screen(session_id).see(host.name, committed);
    if (wrong !== null) this.verdict.broken('L1', `frontends of ${session_id}: ${wrong}`);
  }

  stepsIn(host: SimHost, unit: Unit): number {
    return this.oracle(unit.session_id).ahead(host.name);
  }

  committed(host: SimHost, unit: Unit): void {
    const oracle = this.oracle(unit.session_id);
    const { epoch } = oracle.ledger;
    this.owners.committed(unit);
    if (unit.created !== null) this.owners.created(host, unit.session_id);
    oracle.committed(host.name, unit.last_seq);
    if (oracle.ledger.epoch > epoch && epoch > 0) this.owners.expectResends(host, unit.session_id);
  }

  fenced(host: SimHost, unit: Unit): void {
    this.owners.fenced(host, unit);
  }

  renewed(host: SimHost): void {
    this.owners.renewed(host);
  }

  released(host: SimHost, session_id: string): void {
    this.owners.released(host, session_id);
  }

  claimed(host: SimHost, session_id: string, error: Error | null): void {
    const isHeld = error instanceof ApiError && error.details.reason === 'SESSION_HELD';
    if (error === null || isHeld) this.owners.claimed(host, session_id, isHeld);
    if (isHeld) this.faults.add('lease.held');
    if (error !== null) return;
    const others = this.cluster.hosts.filter((other) => other !== host);
    if (others.some(({ runtime }) => runtime.driver(session_id) !== undefined)) this.faults.add('lease.two_owners');
  }

  refused(error: Error): void {
    this.verdict.broken('L2', `the store refused a unit: ${error.message}`);
  }

  report(host: SimHost, event: string, details: Record<string, unknown>): void {
    const session_id = String(details.session_id);
    if (event === 'session.dropped') this.oracle(session_id).dropped(host.name);
    if (event === 'session.quarantined') this.faults.add('session.quarantined');
    if (event !== 'session.poisoned') return;
    const error = String(details.error);
    if (error.includes(INJECTED)) return;
    const invariant = /^InvariantError: (\w+):/.exec(error)?.[1] ?? 'M4';
    this.verdict.broken(invariant, `${details.subtype}: ${error.split('\n').slice(0, 3).join(' ')}`);
  }

  entering(host: SimHost): void {
    this.#current = host.name;
  }

  boot(): void {
    this.cluster.start();
  }

  attend(host: SimHost): void {
    for (const id of this.#unfinished()) {
      if (this.corrupted.has(id)) this.#expectCorrupt(host, id);
      else host.runtime.recover(id);
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

  /** Clients reach the process that has their session, or just any. */
  reach(session_id: string, name: string): SimHost | null {
    const { hosts } = this.cluster;
    if (hosts.length === 0) return null;
    const any = this.decisions.decide(`elsewhere@${name}`, this.rates.elsewhere);
    const owner = any ? null : this.cluster.driverOf(session_id);
    return owner ?? this.decisions.prng(`via:${name}`).pick(hosts);
  }

  paused(host: SimHost, ms: number): void {
    host.pauses += 1;
    for (const id of this.sessions) {
      if (host.runtime.driver(id) !== undefined) this.oracle(id).stoodStill(host.name, ms);
    }
  }

  #expectCorrupt(host: SimHost, session_id: string): void {
    host.runtime.withSession(session_id, null, (error, driver) => {
      this.verdict.met('L6');
      if (error?.name !== 'CorruptLogError') {
        if (driver !== null) this.verdict.broken('L6', `the damaged log of ${session_id} was taken for good`);
      }
    });
  }

  crash(name: string, power: boolean): void {
    this.cluster.crash(name, power);
  }

  crashAt(host: SimHost, kind: FaultKind, name: string): void {
    this.cluster.crashAt(host, kind, name);
  }

  died(hosts: SimHost[], power: boolean, prng: Prng): void {
    if (power) this.#cutPower();
    for (const id of this.sessions) {
      const oracle = this.oracle(id);
      for (const host of hosts) oracle.dropped(host.name);
      this.#survive(id, power, prng.unit());
    }
    this.submissions.checkPromises();
  }

  /** What was damaged may be among what is lost. */
  #cutPower(): void {
    this.inner.crash({ power: true });
    for (const [id, body] of this.#damaged) {
      if (this.stored(id)?.segments.at(-1)?.body !== body) this.corrupted.delete(id);
    }
  }

  #survive(session_id: string, power: boolean, cut: number): void {
    const oracle = this.oracle(session_id);
    const session = this.stored(session_id);
    const last_seq = session?.row.last_seq ?? 0;
    const before = oracle.ledger.last?.seq ?? 0;
    if (power) oracle.cut(last_seq);
    if (before > last_seq) this.faults.add('power.drops_tail');
    if (session !== undefined && !this.corrupted.has(session_id) && cut < AUDITED) {
      this.audit.check(session, oracle.ledger.last?.after ?? null, cut / AUDITED);
    }
  }

  /** Flips or tears something in the part of the log that a new owner reads. */
  corrupt(name: string, session_id: string): void {
    const session = this.stored(session_id);
    const segment = session?.segments.at(-1);
    if (session === undefined || segment === undefined || this.cluster.hosts.length === 0) return;
    // Whoever has it in memory would write on: all must read it anew.
    this.cluster.crashAll(name);
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
