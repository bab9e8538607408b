import { endRun, type Run } from '@rostra/kernel/run/run';
import type { RunFailedPayload } from '@rostra/protocol/session/failure';
import type { MessageEnvelope, PayloadOf, SessionMessage } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { limits } from '@rostra/protocol/wire/limits';
import type { RunFailure } from '@rostra/protocol/wire/reason';

/** Every message of a run comes from its agent, goes to the session and names the epoch that dispatched it. */
function envelope(run: Run, now: number, id: string, sequence?: number): MessageEnvelope {
  const { run_id, turn_id, session_id, trace_id, epoch, sender } = run.identity;
  const to = 'SYSTEM';
  return {
    id,
    session_id,
    sender,
    target: to,
    turn_id,
    trace_id,
    run_id,
    sequence,
    visibility: 'both',
    ts: now,
    epoch,
  };
}

/** The envelope of a translated result: the host's own number in the run, which gaps and repeats are found by. */
export function numbered(run: Run, now: number): MessageEnvelope {
  const sequence = run.next_sequence;
  return envelope(run, now, `${run.identity.run_id}:${sequence}`, sequence);
}

/** Takes the number that `numbered` gave out. */
export function counted(run: Run): Run {
  return { ...run, next_sequence: run.next_sequence + 1 };
}

export function inputAck(run: Run, now: number): SessionMessage {
  return MessageFactory.control('INPUT_ACK', {}, envelope(run, now, `${run.identity.run_id}:ack`));
}

export function runAlive(run: Run, now: number): SessionMessage {
  return MessageFactory.control('RUN_ALIVE', {}, envelope(run, now, `${run.identity.run_id}:alive:${now}`));
}

export function cancelAck(run: Run, now: number, text?: string): SessionMessage {
  const { usage } = run;
  const payload = { ...(text !== undefined && { text }), ...(usage !== null && { usage }) };
  return MessageFactory.control('CANCEL_ACK', payload, envelope(run, now, `${run.identity.run_id}:cancel-ack`));
}

type Report = PayloadOf<'CONTROL', 'CANCEL_REPORT'>;
/** What became of the process of a run that was to stop, and of the processes that the run had started beside it. */
export type StopOutcome = Pick<Report, 'outcome' | 'process' | 'children_killed'>;

/** The record of a cancel: when it was asked for, and what was stopped to get it. */
export function cancelReport(run: Run, now: number, stop: StopOutcome): SessionMessage {
  const { run_id } = run.identity;
  const { outcome, process, children_killed } = stop;
  const payload: Report = {
    run_id,
    requested_at: run.cancel_requested_at ?? now,
    outcome,
    process,
    children_killed,
  };
  return MessageFactory.control('CANCEL_REPORT', payload, envelope(run, now, `${run_id}:cancel-report`));
}

/** Why the host itself ends a run. */
export interface Failure {
  code: RunFailure;
  message: string;
  retryable: boolean;
}

/** A text for people, from a runner or a system call: bounded, because it goes to every client. */
export function failurePayload(run: Run, code: string, message: string, retryable: boolean): RunFailedPayload {
  const most = limits.failure_message_chars;
  const said = message.length > most ? `${message.slice(0, most)}…` : message;
  return run.usage === null ? { code, message: said, retryable } : { code, message: said, retryable, usage: run.usage };
}

/** Ends a run for a reason that is no result of it; what the session must hear, or null if it waits for nothing. */
export function closeRun(
  run: Run,
  why: Failure | 'stopped' | 'abandoned',
  now: number,
): { run: Run; message: SessionMessage | null } {
  const failure = typeof why === 'string' ? null : why;
  const { run: ended, tell } = endRun(run, typeof why === 'string' ? why : 'failed');
  if (tell === 'cancel_ack') return { run: ended, message: cancelAck(run, now) };
  if (tell === null || failure === null) return { run: ended, message: null };
  const payload = failurePayload(run, failure.code, failure.message, failure.retryable);
  const message = MessageFactory.error('RUN_FAILED', payload, envelope(run, now, `${run.identity.run_id}:failed`));
  return { run: ended, message };
}
