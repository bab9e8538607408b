import type { LogRecord } from '@rostra/protocol/record/record';
import type { SessionMessage } from '@rostra/protocol/session/message';
import type { Bus, BusTopic, Committed, Unsubscribe } from '../../src/bus/port.ts';

/** A bus that keeps what the orchestrator tells sessions, and commits it when told to. */
export class TestBus implements Bus {
  readonly said: SessionMessage[] = [];
  /** Every message to a session is committed in the next microtask, as a session would. */
  committing = true;
  readonly #listeners = new Map<BusTopic, Set<(message: SessionMessage) => void>>();
  readonly #followers = new Map<string, Set<(committed: Committed) => void>>();
  #waiting: (() => void)[] = [];
  #seq = 0;

  get followed(): string[] {
    return [...this.#followers.keys()];
  }

  publish(topic: BusTopic, message: SessionMessage): void {
    if (topic === 'session') {
      this.said.push(message);
      if (this.committing) queueMicrotask(() => this.commit(message));
      for (const check of [...this.#waiting]) check();
    }
    for (const listener of this.#listeners.get(topic) ?? []) listener(message);
  }

  subscribe(topic: BusTopic, listener: (message: SessionMessage) => void): Unsubscribe {
    return add(this.#listeners, topic, listener);
  }

  announce(committed: Committed): void {
    for (const follower of this.#followers.get(committed.session_id) ?? []) follower(committed);
  }

  follow(session_id: string, listener: (committed: Committed) => void): Unsubscribe {
    return add(this.#followers, session_id, listener);
  }

  commit(message: SessionMessage): void {
    this.#seq += 1;
    const record: LogRecord = { ...message, seq: this.#seq, mark: 'both', v: 1 };
    this.announce({ session_id: message.session_id, epoch: message.epoch, records: [record] });
  }

  /** Resolves as soon as what was said satisfies the question. */
  until<T>(question: (said: SessionMessage[]) => T | undefined | false): Promise<T> {
    return new Promise((resolve) => {
      const check = () => {
        const answer = question(this.said);
        if (answer === undefined || answer === false) return;
        this.#waiting = this.#waiting.filter((each) => each !== check);
        resolve(answer);
      };
      this.#waiting.push(check);
      check();
    });
  }
}

function add<K, L>(map: Map<K, Set<L>>, key: K, listener: L): Unsubscribe {
  const listeners = map.get(key) ?? new Set<L>();
  map.set(key, listeners.add(listener));
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) map.delete(key);
  };
}
