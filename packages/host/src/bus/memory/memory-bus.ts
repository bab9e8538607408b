import type { SessionMessage } from '@rostra/protocol/session/message';
import { LiveMap } from '@rostra/transport/live-map';
import type { Bus, BusTopic, Committed, Unsubscribe } from '../port.ts';

type Listener<T> = (item: T) => void;
type Listeners<T> = readonly Listener<T>[];
const nobody: readonly never[] = [];

/** Lists of listeners by key. A list is replaced, never changed: a delivery that runs is not disturbed. */
class Audience<K, T> {
  readonly #lists = new LiveMap<K, Listeners<T>>();

  get size(): number {
    return this.#lists.size;
  }

  add(key: K, listener: Listener<T>): Unsubscribe {
    const before = this.#lists.get(key);
    if (before === undefined) this.#lists.add(key, [listener]);
    else this.#lists.set(key, [...before, listener]);
    return () => {
      const rest = this.of(key).filter((each) => each !== listener);
      if (rest.length > 0) this.#lists.set(key, rest);
      else this.#lists.delete(key);
    };
  }

  of(key: K): Listeners<T> {
    return this.#lists.get(key) ?? nobody;
  }
}

/** The bus of one process. Delivery is in order: what a listener publishes comes after what is being delivered. */
export class MemoryBus implements Bus {
  readonly #topics = new Audience<BusTopic, SessionMessage>();
  readonly #followers = new Audience<string, Committed>();
  readonly #waiting: (() => void)[] = [];
  readonly #onError: (error: unknown) => void;
  #delivering = false;

  /** `onError` hears of a listener that threw; the other listeners are served all the same. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Sessions that somebody follows. */
  get followed(): number {
    return this.#followers.size;
  }

  publish(topic: BusTopic, message: SessionMessage): void {
    if (this.#delivering) this.#waiting.push(() => this.#tell(this.#topics.of(topic), message));
    else this.#deliver(this.#topics.of(topic), message);
  }

  subscribe(topic: BusTopic, listener: Listener<SessionMessage>): Unsubscribe {
    return this.#topics.add(topic, listener);
  }

  announce(committed: Committed): void {
    if (this.#delivering) this.#waiting.push(() => this.#tell(this.#followers.of(committed.session_id), committed));
    else this.#deliver(this.#followers.of(committed.session_id), committed);
  }

  follow(session_id: string, listener: Listener<Committed>): Unsubscribe {
    return this.#followers.add(session_id, listener);
  }

  #deliver<T>(listeners: Listeners<T>, item: T): void {
    this.#delivering = true;
    try {
      this.#tell(listeners, item);
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) next();
    } finally {
      this.#delivering = false;
    }
  }

  #tell<T>(listeners: Listeners<T>, item: T): void {
    for (const listener of listeners) {
      try {
        listener(item);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
