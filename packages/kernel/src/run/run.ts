import type { Resume } from '@rostra/protocol/session/input';
import type { Sender } from '@rostra/protocol/session/sender';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { timeouts } from '@rostra/protocol/wire/limits';

/** Which run this is: fixed when its turn is dispatched, the same object for the whole run. */
export interface RunIdentity {
  run_id: string;
  turn_id: string;
  session_id: string;
  agent_id: string;
  trace_id: string;
  /** Epoch of the message that dispatched the run; an answer with an older one has no effect (SR-INV-M2). */
  epoch: number;
  sender: Sender;
  /** The language of whoever asked, where they said it. */
  locale?: string;
}

/** One attempt of one runner at one turn, as the host sees it. Plain data, replaced and never changed in place. */
export interface Run {
  identity: RunIdentity;
  /** `starting`: no runner has it yet. `sent`: RUN_AGENT is on its way. `running`: accepted, or heard of. */
  phase: 'starting' | 'sent' | 'running' | 'ended';
  /** When the session asked for its end; null while it has not. */
  cancel_requested_at: number | null;
  /** Position of the next message in this run, counted by the host (RP-6.14). */
  next_sequence: number;
  last_runner_sequence: number | null;
  /** Message ids given out so far, and the one that chunks are being added to. */
  messages: number;
  open: { message_id: string; channel: 'text' | 'reasoning' } | null;
  chunks: number;
  /** A whole message was sent: what `run.completed` repeats of it is not sent again. */
  said: boolean;
  /** Milliseconds. Stands still while a person is asked (SR-D49). */
  deadline_at: number;
  paused_at: number | null;
  /** Interactions that wait for their answer. */
  asked: readonly string[];
  /** Results that were not forwarded. */
  dropped: number;
  /** A running total: the newest that a result carried. Null is unknown, which is not the same as none. */
  usage: JsonObject | null;
}

/** A further attempt goes on in the message that the lost one left open, behind the last piece that was shown. */
export function newRun(identity: RunIdentity, deadline_at: number, resume: Resume | null = null): Run {
  const { message_id = null, channel = null, next_chunk = 0 } = resume ?? {};
  return {
    identity,
    phase: 'starting',
    cancel_requested_at: null,
    next_sequence: 0,
    last_runner_sequence: null,
    messages: 0,
    open: message_id === null || channel === null ? null : { message_id, channel },
    chunks: next_chunk,
    said: false,
    deadline_at,
    paused_at: null,
    asked: [],
    dropped: 0,
    usage: null,
  };
}

export function sendRun(run: Run): Run {
  return run.phase === 'starting' ? { ...run, phase: 'sent' } : run;
}

/**
 * A running run whose counters moved on. Written out because it happens for every chunk, where a spread of this many
 * fields costs more than ten times as much.
 */
export function moveOn(run: Run, last_runner_sequence: number | null, next_sequence: number, chunks: number): Run {
  return {
    identity: run.identity,
    phase: 'running',
    cancel_requested_at: run.cancel_requested_at,
    next_sequence,
    last_runner_sequence,
    messages: run.messages,
    open: run.open,
    chunks,
    said: run.said,
    deadline_at: run.deadline_at,
    paused_at: run.paused_at,
    asked: run.asked,
    dropped: run.dropped,
    usage: run.usage,
  };
}

/** The runner's RUN_ACCEPTED: `first` says that INPUT_ACK is due. After a result it is late and says nothing new. */
export function acceptRun(run: Run): { run: Run; first: boolean } {
  return run.phase === 'sent' ? { run: { ...run, phase: 'running' }, first: true } : { run, first: false };
}

/**
 * The session's CANCEL. `ask`: the runner must be told. `ended`: no runner has the run, so that nothing is left to stop
 * and nobody to acknowledge. `ignore`: told already, or over.
 */
export function cancelRun(run: Run, now: number): { run: Run; next: 'ask' | 'ended' | 'ignore' } {
  if (run.phase === 'ended' || run.cancel_requested_at !== null) return { run, next: 'ignore' };
  const cancelled: Run = { ...run, cancel_requested_at: now };
  return run.phase === 'starting'
    ? { run: { ...cancelled, phase: 'ended' }, next: 'ended' }
    : { run: cancelled, next: 'ask' };
}

/** How a run may end: by its terminal result, by what the host found out, or because the session gave it up. */
export type RunEnd = 'completed' | 'failed' | 'stopped' | 'abandoned';

/**
 * Exactly one end (SR-INV-R1): `null` when the run is over already or when the session has given it up and waits for
 * nothing. After a cancel every end is its acknowledgement, whatever the runner sent (SR-D32, SR-D50).
 */
export function endRun(run: Run, end: RunEnd): { run: Run; tell: 'final' | 'failed' | 'cancel_ack' | null } {
  if (run.phase === 'ended') return { run, tell: null };
  const ended: Run = { ...run, phase: 'ended' };
  if (end === 'abandoned') return { run: ended, tell: null };
  if (run.cancel_requested_at !== null || end === 'stopped') return { run: ended, tell: 'cancel_ack' };
  return { run: ended, tell: end === 'completed' ? 'final' : 'failed' };
}

/** What a result says of the run's cost so far; the terminal one gives the total. */
export function noteUsage(run: Run, usage: JsonObject | null | undefined): Run {
  return usage === undefined || usage === null ? run : { ...run, usage };
}

/** A person is asked: the deadline stands still until every question is answered or has expired. */
export function pauseRun(run: Run, interaction_id: string, now: number): Run {
  if (run.asked.includes(interaction_id)) return run;
  return { ...run, asked: [...run.asked, interaction_id], paused_at: run.paused_at ?? now };
}

export function resumeRun(run: Run, interaction_id: string, now: number): Run {
  if (!run.asked.includes(interaction_id)) return run;
  const asked = run.asked.filter((id) => id !== interaction_id);
  if (asked.length > 0 || run.paused_at === null) return { ...run, asked };
  const waited = Math.min(Math.max(now - run.paused_at, 0), timeouts.interaction_max);
  return { ...run, asked, paused_at: null, deadline_at: run.deadline_at + waited };
}

/** When the run is over at the latest; a question that nobody ever answers cannot keep it for ever. */
export function lastInstant(run: Run): number {
  return run.paused_at === null ? run.deadline_at : run.deadline_at + timeouts.interaction_max;
}
