import { TranscriptFold } from '@rostra/kernel/projection/transcript';
import { emptyContext } from '@rostra/kernel/session/context';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import type { SessionSettings } from '@rostra/protocol/session/roster';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { Bus, BusTopic } from '../bus/port.ts';
import { hit } from '../failpoint.ts';
import { CommitLoop, type CommitWatch } from '../store/commit-loop.ts';
import type { SessionStore, TurnRow } from '../store/port.ts';
import { RecentMap } from '../store/recent-map.ts';
import type { Clock } from './clock.ts';
import { isGone, wasDeleted } from './deleted-session.ts';
import type { Ownership } from './driver-start.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import type { OpenUnit } from './open-unit.ts';
import { type Answer, type DriverHost, SessionDriver } from './session-driver.ts';
import { type LoadedSession, loadSession } from './session-loader.ts';
import { unavailable } from './session-refusal.ts';
import { TimerQueue } from './timer-queue.ts';
import { TurnInputs } from './turn-inputs.ts';

export interface RuntimeOptions {
  store: SessionStore;
  bus: Bus;
  clock: Clock;
  settings: SessionSettings;
  /** The id of this life of the process: under it its sessions are held. */
  holder: string;
  /** How long a session stays in memory after it came to rest, and how many may be there. */
  idle?: number;
  sessions_in_memory?: number;
  /** Something that should not happen did: a step threw, a session could not be loaded. */
  report(event: string, details: Record<string, unknown>): void;
  commits?: CommitWatch;
}

type Loading = { waiting: ((error: Error | null, driver: SessionDriver | null) => void)[]; create: Ownership | null };

/** How long a session that could not be loaded or committed is left alone before the next try. */
const RETRY_AFTER = 500;

/**
 * All sessions that this process owns. `onMessage` is subscribed as `session` on the bus: the one way in for agents and
 * the SessionManager; `withSession` is the way in for frontends, who learn what became of their message.
 */
export class SessionRuntime implements DriverHost {
  readonly #options: RuntimeOptions;
  readonly #drivers = new Map<string, SessionDriver>();
  readonly #loading = new Map<string, Loading>();
  /** Why sessions could not be loaded: it is tried again and again, and told once. */
  readonly #failures = new RecentMap<string | null>(limits.failed_loads);
  readonly #commits: CommitLoop;
  /** Rows of turns as they were last committed here: whoever submitted one asks for it next. */
  readonly recentTurns = new RecentMap<TurnRow>(limits.recent_turns);
  readonly #timers: TimerQueue;
  readonly #leases: LeaseKeeper;
  /** How often each session choked since it was loaded first; a session that is loaded again at once goes on counting. */
  readonly #poisoned = new Map<string, number>();
  readonly #unsubscribe: () => void;
  #isClosed = false;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.#commits = new CommitLoop(options.store, (task) => options.clock.soon(task), options.commits);
    this.#timers = new TimerQueue(options.clock, (id) => this.#drivers.get(id)?.wake());
    this.#leases = new LeaseKeeper({
      store: options.store,
      clock: options.clock,
      holder: options.holder,
      look: () => this.#letGo(this.#resting((driver) => this.now() - driver.usedAt >= this.#idle)),
      lapsed: () => this.#lapsed(),
      report: options.report,
    });
    this.#unsubscribe = options.bus.subscribe('session', (message) => this.onMessage(message));
  }

  get holder(): string {
    return this.#options.holder;
  }

  get #idle(): number {
    return this.#options.idle ?? limits.session_idle;
  }

  /**
   * The one way in (SR-I.5). A message from an agent or the SessionManager for a session that is not here is left over
   * from an old owner; whoever waits for an answer has the session loaded for it. An agent's BROADCAST is one delivery to
   * the session, and what it sends past the session is not heard (SR-D1, SR-M.13).
   */
  onMessage(message: SessionMessage, answer: Answer | null = null): void {
    const driver = this.#drivers.get(message.session_id);
    if (message.sender.kind === 'agent' && message.target !== 'SYSTEM') {
      if (message.target === 'BROADCAST') driver?.post({ ...message, target: 'SYSTEM' }, answer);
    } else if (driver !== undefined) {
      driver.post(message, answer);
    } else if (answer !== null) {
      this.withSession(message.session_id, null, (error, loaded) => {
        if (loaded === null) answer(error ?? unavailable(), { publish: [], known: null });
        else loaded.post(message, answer);
      });
    }
  }

  driver(session_id: string): SessionDriver | undefined {
    return this.#drivers.get(session_id);
  }

  drivers(): Iterable<SessionDriver> {
    return this.#drivers.values();
  }

  get isIdle(): boolean {
    if (!this.#commits.isIdle || this.#loading.size > 0) return false;
    return [...this.#drivers.values()].every((driver) => driver.isIdle);
  }

  /** The session's driver, loaded if need be, created if `create` says for whom; null if there is none to be had. */
  withSession(
    session_id: string,
    create: Ownership | null,
    use: (error: Error | null, driver: SessionDriver | null) => void,
  ): void {
    const driver = this.#drivers.get(session_id);
    if (driver !== undefined) {
      use(null, driver);
      return;
    }
    const loading = this.#loading.get(session_id);
    if (loading !== undefined && loading.waiting.length >= limits.sessions_loading_messages) {
      use(new ApiError('rate_limited', 'this session is still loading', { retryable: true }), null);
    } else if (loading !== undefined) {
      loading.waiting.push(use);
      loading.create ??= create;
    } else {
      this.#loading.set(session_id, { waiting: [use], create });
      const { store, holder } = this.#options;
      loadSession({ store, session_id, holder }, (error, loaded) => this.#loaded(session_id, error, loaded));
    }
  }

  /** Whether the store already holds what this client message made; asked before it is posted. */
  isKnown(driver: SessionDriver, message_id: string, answer: Answer, unknown: () => void): void {
    const known = driver.known.get(message_id);
    if (known !== undefined || !driver.known.mayHaveCome(message_id)) {
      unknown();
      return;
    }
    this.#options.store.findMessage(driver.session_id, message_id, (error, found) => {
      if (error !== null) answer(error, { publish: [], known: null });
      else if (found === null) unknown();
      else answer(null, { publish: [], known: found });
    });
  }

  #loaded(session_id: string, error: Error | null, loaded: LoadedSession | null): void {
    const loading = this.#loading.get(session_id);
    this.#loading.delete(session_id);
    if (loading === undefined || this.#isClosed) return;
    let driver: SessionDriver | null = null;
    if (error === null && loaded !== null) driver = this.#resume(session_id, loaded);
    if (error === null && loaded === null && loading.create !== null) driver = this.#create(session_id, loading.create);
    if (error !== null && !isGone(error) && reasonOf(error) !== 'SESSION_HELD') {
      this.#reportFailure(session_id, error.message);
    } else if (this.#failures.has(session_id)) this.#failures.set(session_id, null);
    for (const use of loading.waiting) use(error, driver);
  }

  #reportFailure(session_id: string, error: string): void {
    if (this.#failures.get(session_id) === error) return;
    this.#failures.set(session_id, error);
    this.#options.report('session.load_failed', { session_id, error });
  }

  #create(session_id: string, ownership: Ownership): SessionDriver {
    const context = emptyContext(session_id);
    const empty = {
      names: { messages: new Int32Array(), said: new Int32Array() },
      turns: [],
      outbox: new Map(),
      inputs: new TurnInputs(new Map()),
      transcript: new TranscriptFold(true),
    };
    const start = { ownership, context, epoch: 1, last_seq: 0, saved_seq: 0, isNew: true, ...empty };
    const driver = this.#settle(new SessionDriver(session_id, start, this));
    const payload = { ...ownership, settings: this.#options.settings };
    driver.post(MessageFactory.control('SESSION_CREATED', payload, driverEnvelope(driver, 'created')));
    return driver;
  }

  /** What the old owner left unfinished is ended or sent again; its first message says so. */
  #resume(session_id: string, { start, owed }: LoadedSession): SessionDriver {
    const driver = this.#settle(new SessionDriver(session_id, start, this));
    const envelope = driverEnvelope(driver, 'recovered');
    const recovered = MessageFactory.control('SESSION_RECOVERED', { epoch: start.epoch }, envelope);
    driver.post(recovered, (error) => {
      if (error !== null) return;
      hit('session.recovered');
      for (const [seq, message] of owed) {
        if (start.outbox.has(seq) && message.target !== 'FRONTEND') this.#send({ ...message, epoch: driver.epoch });
      }
    });
    const poisoned = this.#poisoned.get(session_id) ?? 0;
    if (poisoned >= limits.poisoned_messages) driver.quarantine(poisoned);
    return driver;
  }

  #settle(driver: SessionDriver): SessionDriver {
    const most = this.#options.sessions_in_memory ?? limits.sessions_in_memory;
    if (this.#drivers.size >= most) this.#makeRoom(most);
    this.#drivers.set(driver.session_id, driver);
    this.#leases.wake();
    return driver;
  }

  #resting(may: (driver: SessionDriver) => boolean): SessionDriver[] {
    return [...this.#drivers.values()].filter((driver) => driver.isAtRest && may(driver));
  }

  /** Those that rested longest go first; some more than must go, so that the next one does not look again. */
  #makeRoom(most: number): void {
    const isReported = ({ context }: SessionDriver) => context.unreported.length === 0;
    const oldest = this.#resting(isReported).sort((a, b) => a.usedAt - b.usedAt);
    this.#letGo(oldest.slice(0, this.#drivers.size + 1 - most + Math.floor(most / 20)));
  }

  /** These sessions leave memory. Returns whether any is left. */
  #letGo(drivers: SessionDriver[]): boolean {
    for (const driver of drivers) {
      this.#drivers.delete(driver.session_id);
      driver.retire();
      this.#leases.release(driver.session_id);
      this.#poisoned.delete(driver.session_id);
    }
    return this.#drivers.size > 0;
  }

  /**
   * The process was silent for longer than its lease: another may have been here. What rests is read anew when it is
   * needed; what is under way goes on, and is fenced with its next unit if another has it.
   */
  #lapsed(): void {
    this.#options.report('lease.lapsed', { sessions: this.#drivers.size });
    this.#letGo(this.#resting(() => true));
  }

  /** Loads a session for the sake of what it left unfinished, again and again until the store lets us. */
  recover(session_id: string): void {
    if (this.#isClosed) return;
    this.withSession(session_id, null, (error) => {
      if (error === null || error.name === 'CorruptLogError') return;
      const reason = reasonOf(error);
      if (isGone(error)) return;
      // Its holder attends to it, for as long as it renews.
      const after = reason === 'SESSION_HELD' ? limits.lease / 3 : RETRY_AFTER;
      const { clock } = this.#options;
      clock.at(clock.now() + after, () => this.recover(session_id));
    });
  }

  now(): number {
    return this.#options.clock.now();
  }

  soon(task: () => void): void {
    this.#options.clock.soon(task);
  }

  wantCommit(driver: SessionDriver): void {
    this.#commits.add(driver);
  }

  wakeAt(driver: SessionDriver, at: number | null): void {
    this.#timers.set(driver.session_id, at);
  }

  publish(driver: SessionDriver, unit: OpenUnit): void {
    const { session_id, epoch } = driver;
    for (const row of unit.turns) this.recentTurns.set(row.turn_id, row);
    hit('publish.begin');
    for (const message of unit.leaving) this.#send(message);
    hit('publish.sent');
    this.#options.bus.announce({ session_id, epoch, records: unit.records });
    hit('publish.done');
  }

  #send(message: SessionMessage): void {
    const { target, target_id } = message;
    // An agent may have that name as well.
    const isForManager = target === 'SYSTEM' && target_id === 'session_manager';
    const topic: BusTopic = isForManager ? 'session_manager' : 'orchestrator';
    this.#options.bus.publish(topic, message);
  }

  dropped(driver: SessionDriver, error: Error): void {
    if (this.#drivers.get(driver.session_id) === driver) this.#drivers.delete(driver.session_id);
    if (this.#isClosed) return;
    const { session_id } = driver;
    this.#endRun(driver);
    if (isGone(error)) return;
    this.#options.report('session.dropped', { session_id, error: error.message });
    const { clock } = this.#options;
    clock.at(clock.now() + RETRY_AFTER, () => this.recover(session_id));
  }

  /** The session was deleted: it leaves memory at once, whoever waits is told, and the run that is at it is ended. */
  forget(session_id: string): void {
    this.recentTurns.deleteWhere((turn) => turn.session_id === session_id);
    this.#poisoned.delete(session_id);
    this.#drivers.get(session_id)?.drop(wasDeleted());
  }

  /** Nobody will hear what the run of a lost session says: its runner is told to stop (SR-INV-C3). */
  #endRun({ sentRun, session_id, epoch }: SessionDriver): void {
    if (sentRun === null) return;
    const { run_id, turn_id } = sentRun;
    const sender = { kind: 'driver' as const, id: 'driver' };
    const id = `lost:${epoch}:${run_id}`;
    const to = { target: 'SYSTEM' as const, target_id: 'orchestrator', visibility: 'internal' as const };
    const envelope = { id, session_id, sender, ...to, turn_id, ts: this.now(), epoch };
    this.#send(MessageFactory.control('REQUEST_TERMINATE_RUN', { run_id }, envelope));
  }

  poisoned(driver: SessionDriver, message: SessionMessage, error: Error): void {
    const { session_id } = driver;
    const poisoned = (this.#poisoned.get(session_id) ?? 0) + 1;
    this.#poisoned.set(session_id, poisoned);
    if (poisoned >= limits.poisoned_messages && !driver.isReadOnly) {
      this.#options.report('session.quarantined', { session_id, poisoned });
      driver.quarantine(poisoned);
    }
    const { event, subtype, id } = message;
    this.#options.report('session.poisoned', { session_id, event, subtype, id, error: error.stack ?? error.message });
  }

  /** Stops without a trace: what is not committed was never promised to anyone. Others may have the sessions. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#unsubscribe();
    this.#timers.clear();
    this.#leases.stop();
    for (const session_id of this.#drivers.keys()) this.#leases.release(session_id);
    this.#drivers.clear();
  }
}

function reasonOf(error: Error): unknown {
  return error instanceof ApiError ? error.details.reason : undefined;
}

function driverEnvelope(driver: SessionDriver, what: string) {
  return {
    id: `${what}:${driver.epoch}`,
    session_id: driver.session_id,
    sender: { kind: 'driver' as const, id: 'driver' },
    target: 'SYSTEM' as const,
    visibility: 'internal' as const,
    ts: 0,
    epoch: driver.epoch,
  };
}
