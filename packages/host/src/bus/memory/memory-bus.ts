import type { SessionMessage } from '@rostra/protocol/session/message';
import type { Bus, BusTopic, Committed, Unsubscribe } from '../port.ts';

type Listener<T> = (item: T) => void;

/** Listeners by key; one that is added or removed while a delivery runs does not disturb it. */
class Listeners<K, T> {
  readonly #sets = new Map<K, Set<Listener<T>>>();

  get size(): number {
    return this.#sets.size;
  }

  add(key: K, listener: Listener<T>): Unsubscribe {
    const set = this.#sets.get(key) ?? new Set();
    this.#sets.set(key, set.add(listener));
    return () => {
      set.delete(listener);
      if (set.size === 0 && this.#sets.get(key) === set) this.#sets.delete(key);
    };
  }

  of(key: K): readonly Listener<T>[] {
    const set = this.#sets.get(key);
    return set === undefined ? [] : [...set];
  }
}

/** The bus of one process. Delivery is in order: what a listener publishes comes after what is being delivered. */
export class MemoryBus implements Bus {
  readonly #topics = new Listeners<BusTopic, SessionMessage>();
  readonly #followers = new Listeners<string, Committed>();
  readonly #queue: (() => void)[] = [];
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
    this.#deliver(() => this.#tell(this.#topics.of(topic), message));
  }

  subscribe(topic: BusTopic, listener: Listener<SessionMessage>): Unsubscribe {
    return this.#topics.add(topic, listener);
  }

  announce(committed: Committed): void {
    this.#deliver(() => this.#tell(this.#followers.of(committed.session_id), committed));
  }

  follow(session_id: string, listener: Listener<Committed>): Unsubscribe {
    return this.#followers.add(session_id, listener);
  }

  #deliver(delivery: () => void): void {
    this.#queue.push(delivery);
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) next();
    } finally {
      this.#delivering = false;
    }
  }

  #tell<T>(listeners: readonly Listener<T>[], item: T): void {
    for (const listener of listeners) {
      try {
        listener(item);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
