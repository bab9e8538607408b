import type { LogRecord } from '@rostra/protocol/record/record';
import type { SessionMessage } from '@rostra/protocol/session/message';

/** Who listens: the session runtimes, the orchestrator, the SessionManager. */
export type BusTopic = 'session' | 'orchestrator' | 'session_manager';
export type Unsubscribe = () => void;

/** Committed records of one session, in `seq` order, without gaps while one stays subscribed. */
export interface Committed {
  session_id: string;
  epoch: number;
  records: LogRecord[];
}

/** Where session, orchestrator and SessionManager meet, and how followers hear of commits. */
export interface Bus {
  publish(topic: BusTopic, message: SessionMessage): void;
  subscribe(topic: BusTopic, listener: (message: SessionMessage) => void): Unsubscribe;
  /** Only the owner of a session announces, and only after the commit. */
  announce(committed: Committed): void;
  follow(session_id: string, listener: (committed: Committed) => void): Unsubscribe;
}
