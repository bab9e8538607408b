import type { LogRecord } from '@rostra/protocol/record/record';
import type { EventAccepted, EventSubmission } from '@rostra/protocol/run-api/event-submission';
import type { Principal, SessionGateway } from '../session/session-gateway.ts';

/** The session side as HTTP uses it. Every answer comes after the commit; a refusal is an ApiError. */
export type RunGateway = Pick<
  SessionGateway,
  'submitRun' | 'findRepeat' | 'cancelTurn' | 'findTurn' | 'mayRead' | 'isForeign' | 'tailAfter' | 'stats'
>;

/** Where events are taken, after the commit of their turns; a refusal is an ApiError. */
export interface EventInbox {
  accept(submission: EventSubmission, principal: Principal): Promise<EventAccepted>;
}

/** A delivery of another system, as it arrived. */
export interface HookDelivery {
  readonly signature: string | undefined;
  readonly content_type: string;
  readonly body: Buffer;
}

export interface HookInbox {
  /** Null for a delivery that does not prove where it is from; nobody is told what is wrong with it. */
  deliver(id: string, delivery: HookDelivery): Promise<EventAccepted | null>;
}

/** Where a stream reads what was before it. */
export interface LogSource {
  tailAfter(session_id: string, seq: number): readonly LogRecord[] | null;
  /** The next records after `seq`, oldest first, a bounded page of them; none at the end of the log. */
  readAfter(session_id: string, seq: number): Promise<readonly LogRecord[]>;
}

/** How the host is, for people and for probes. */
export interface HostStatus {
  version: string;
  started_at: number;
  sessions: number;
  live_turns: number;
  /** Messages that wait for their sessions. */
  mailbox?: number;
  agents: readonly string[];
  /** One word on the runner that answers, e.g. `ready`, `starting`, `stopped`. */
  runner: string;
  /** What must come before the host can answer a run; empty when it is ready. */
  missing: readonly string[];
  /** What whoever operates it should know although it serves. */
  notes?: readonly string[];
}
