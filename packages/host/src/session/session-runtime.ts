import { emptyContext } from '@rostra/kernel/session/context';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import type { SessionSettings } from '@rostra/protocol/session/roster';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { Bus, BusTopic } from '../bus/port.ts';
import { CommitLoop } from '../store/commit-loop.ts';
import type { SessionStore, TurnRow } from '../store/port.ts';
import { RecentMap } from '../store/recent-map.ts';
import type { Clock } from './clock.ts';
import type { OpenUnit } from './open-unit.ts';
import { type Answer, type DriverHost, SessionDriver } from './session-driver.ts';
import { type LoadedSession, loadSession } from './session-loader.ts';
import { TimerQueue } from './timer-queue.ts';

export interface RuntimeOptions {
  store: SessionStore;
  bus: Bus;
  clock: Clock;
  settings: SessionSettings;
  /** Something that should not happen did: a step threw, a session could not be loaded. */
  report(event: string, details: Record<string, unknown>): void;
}

/** Who a new session belongs to. */
export interface Ownership {
  workspace_id: string;
  owner_id: string;
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
  readonly #commits: CommitLoop;
  /** Rows of turns as they were last committed here: whoever submitted one asks for it next. */
  readonly recentTurns = new RecentMap<TurnRow>(limits.recent_turns);
  readonly #timers: TimerQueue;
  readonly #unsubscribe: () => void;
  #isClosed = false;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.#commits = new CommitLoop(options.store, (task) => options.clock.soon(task));
    this.#timers = new TimerQueue(options.clock, (id) => this.#drivers.get(id)?.wake());
    this.#unsubscribe = options.bus.subscribe('session', (message) => this.onMessage(message));
  }

  /** A message from an agent or the SessionManager. For a session that is not here it is left over from an old owner. */
  onMessage(message: SessionMessage): void {
    this.#drivers.get(message.session_id)?.post(message);
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
      loadSession(this.#options.store, session_id, (error, loaded) => this.#loaded(session_id, error, loaded));
    }
  }

  /** Whether the store already holds what this client message made; asked before it is posted. */
  isKnown(driver: SessionDriver, message_id: string, answer: Answer, unknown: () => void): void {
    const known = driver.known.get(message_id);
    if (known !== undefined || driver.known.isComplete) {
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
    if (error !== null) this.#options.report('session.load_failed', { session_id, error: error.message });
    for (const use of loading.waiting) use(error, driver);
  }

  #create(session_id: string, ownership: Ownership): SessionDriver {
    const context = emptyContext(session_id);
    const empty = { turns: [], outbox: new Map(), inputs: new Map() };
    const start = { ownership, context, epoch: 1, last_seq: 0, saved_seq: 0, isNew: true, ...empty };
    const driver = new SessionDriver(session_id, start, this);
    this.#drivers.set(session_id, driver);
    const payload = { ...ownership, settings: this.#options.settings };
    driver.post(MessageFactory.control('SESSION_CREATED', payload, driverEnvelope(driver, 'created')));
    return driver;
  }

  /** What the old owner left unfinished is ended or sent again; its first message says so. */
  #resume(session_id: string, { start, owed }: LoadedSession): SessionDriver {
    const driver = new SessionDriver(session_id, start, this);
    this.#drivers.set(session_id, driver);
    const envelope = driverEnvelope(driver, 'recovered');
    const recovered = MessageFactory.control('SESSION_RECOVERED', { epoch: start.epoch }, envelope);
    driver.post(recovered, (error) => {
      if (error !== null) return;
      for (const [seq, message] of owed) {
        if (start.outbox.has(seq) && message.target !== 'FRONTEND') this.#send({ ...message, epoch: driver.epoch });
      }
    });
    return driver;
  }

  /** Loads a session for the sake of what it left unfinished, again and again until the store lets us. */
  recover(session_id: string): void {
    if (this.#isClosed) return;
    this.withSession(session_id, null, (error) => {
      if (error === null || error.name === 'CorruptLogError') return;
      const { clock } = this.#options;
      clock.at(clock.now() + RETRY_AFTER, () => this.recover(session_id));
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
    for (const message of unit.leaving) this.#send(message);
    this.#options.bus.announce({ session_id, epoch, records: unit.records });
  }

  #send(message: SessionMessage): void {
    const topic: BusTopic = message.target_id === 'session_manager' ? 'session_manager' : 'orchestrator';
    this.#options.bus.publish(topic, message);
  }

  dropped(driver: SessionDriver, error: Error): void {
    if (this.#drivers.get(driver.session_id) === driver) this.#drivers.delete(driver.session_id);
    if (this.#isClosed) return;
    const { session_id } = driver;
    this.#options.report('session.dropped', { session_id, error: error.message });
    const { clock } = this.#options;
    clock.at(clock.now() + RETRY_AFTER, () => this.recover(session_id));
  }

  poisoned(driver: SessionDriver, message: SessionMessage, error: Error): void {
    const { session_id } = driver;
    const { event, subtype, id } = message;
    this.#options.report('session.poisoned', { session_id, event, subtype, id, error: error.stack ?? error.message });
  }

  /** Stops without a trace: what is not committed was never promised to anyone. */
  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#timers.clear();
    this.#drivers.clear();
  }
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
