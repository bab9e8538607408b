import type { ApiErrorCode } from './api-error.ts';
import type { ManagementReason, RunFailure, SessionReason } from './reason.ts';

/** What a person is told of a code or reason: what it means, what it comes from, what can be done. */
export type ReasonText = readonly [meaning: string, cause: string, remedy: string];

/** `code` of every refusal (RP-8). */
export const codeTexts: Readonly<Record<ApiErrorCode, ReasonText>> = {
  unauthorized: [
    'Whoever asks may not do this.',
    'No key, an unknown or revoked one, one without the scope that is needed, or a page of a foreign site.',
    'Send `Authorization: Bearer <key>` with a key that has the scope that `details.scope` names.',
  ],
  not_found: [
    'There is no such thing for whoever asks.',
    'The id was never given, belongs to somebody else, or what it named was deleted. All of these look alike.',
    'Check the id, and that the key is of the user who owns it.',
  ],
  deadline_exceeded: [
    'It took longer than it may.',
    'A request arrived too slowly, a search was too wide, or a call of a runner outlasted its deadline.',
    'Repeat it; ask for less at a time.',
  ],
  payload_too_large: [
    'It is larger than what is taken.',
    'A body, a header, a value or a file is over its limit; `details` names it where it is not fixed.',
    'Send less: put files into attachments and refer to them.',
  ],
  rate_limited: [
    'Too much at once.',
    'The key has used up its runs of this minute or its streams, a session has too many inputs waiting, or a runner has used up its calls.',
    'Wait as long as `Retry-After` says; ask whoever runs the host for a key with other limits.',
  ],
  invalid_argument: [
    'The request is understood and refused.',
    'A rule is broken, a type is wrong, or it does not fit what is there (409, 412); `details.path` names the place.',
    'Correct what the message names. Repeating it unchanged does not help.',
  ],
  runtime_error: [
    'The host or a runner failed at it.',
    'A bug, a full disk, a store that is busy, a host that is shutting down.',
    'With `retryable: true` repeat it after `Retry-After`; otherwise the host’s log has the reason.',
  ],
};

/** `details.reason` of what a session refuses, and of what turns end with. */
export const sessionReasonTexts: Readonly<Record<SessionReason, ReasonText>> = {
  ADD_AGENT_FAILED: [
    'An agent could not join the session.',
    'Its runner is not there, or did not answer in time.',
    'Look at `GET /api/v1/runners`, then invite it again.',
  ],
  AGENT_FAILED: [
    'The agent’s run failed.',
    'The runner said so, or died; the turn’s `error` has its own code.',
    'Look at `GET /api/v1/agent/runs/{taskId}` and at the runner’s log.',
  ],
  AGENT_NOT_FOUND: [
    'There is no such agent in this session, or on this host.',
    'A wrong id, an agent that was removed or deleted.',
    'Use an agent of `GET /api/v1/agents`; invite it if it is not in the session.',
  ],
  AGENT_REMOVED: [
    'The agent has left the session.',
    'It was removed while the turn waited for it.',
    'Send the input to another agent, or invite it again.',
  ],
  AGENT_REMOVING: [
    'The agent is leaving the session.',
    'Its removal is under way.',
    'Send the input to another agent.',
  ],
  BUSY: [
    'The agent is at another turn.',
    'Its policy is to refuse inputs while it answers (`policy.queue: reject`).',
    'Wait for the end of its turn, cancel that, or let the policy enqueue.',
  ],
  CANCEL_TIMEOUT: [
    'The agent did not obey a cancel in time.',
    'Its runner hung or ignored it; its process was ended.',
    'Nothing: the turn is over. Look at the runner if it happens often.',
  ],
  CONFLICT: [
    'The same id was used for something else.',
    'A `runId` again with another body, or a message id that is taken.',
    'Choose a new id for a new input; send the same body to repeat it.',
  ],
  HANDOVER_PENDING: [
    'A handover waits for an answer.',
    'The session asks whether another agent shall go on, and has got no answer yet.',
    'Confirm or reject it: `GET /api/v1/interactions?status=pending`.',
  ],
  HANDOVER_TOO_DEEP: [
    'Agents handed over to each other too often.',
    'A chain of handovers without an input of a person between them.',
    'Say something to the agent that shall go on.',
  ],
  INTERACTION_NOT_OPEN: [
    'The question is not open any more.',
    'It was answered, it expired, or its run has ended.',
    'Look at the pending questions again.',
  ],
  INVALID_MENTION: [
    'The mentioned agent cannot be addressed.',
    'It is not in the session, and sessions here do not invite by mention.',
    'Invite it first, or set `session.auto_invite`.',
  ],
  NOT_ALLOWED: [
    'Whoever asks may not do this in the session.',
    'A participant did what only the owner may, or an agent what its grant does not hold.',
    'Let the owner do it.',
  ],
  NOT_INTERRUPTIBLE: [
    'The agent cannot be interrupted.',
    'Its policy says so (`policy.interruptible: false`).',
    'Wait for the end of its turn, or cancel that.',
  ],
  NO_AGENT: [
    'Nobody is there to answer.',
    'The session has no active agent, and the host no default.',
    'Name an agent in `forwardedProps.agentId`, or configure one.',
  ],
  OUTPUT_GAP: [
    'Output of the runner is missing.',
    'Its numbers have a gap, so that what was said cannot be told whole.',
    'Send the input again; tell the author of the runner.',
  ],
  QUEUE_FULL: [
    'Too many inputs wait in this session.',
    'They arrive faster than the agent answers.',
    'Wait for some of them to be answered.',
  ],
  QUEUE_TIMEOUT: [
    'The input waited too long for its turn.',
    'The turns before it took longer than `session.timeouts.queue`.',
    'Send it again.',
  ],
  REMOVE_AGENT_FAILED: [
    'An agent could not leave in order.',
    'Its runner did not answer; it is out of the session all the same.',
    'Nothing.',
  ],
  ROSTER_FULL: [
    'The session has as many agents as it can have.',
    'An invitation too many.',
    'Remove an agent that is not needed.',
  ],
  ROUTE_TIMEOUT: [
    'The agent did not take the input in time.',
    'Its runner did not start, or is overloaded (`session.timeouts.ack`).',
    'Send it again; look at `GET /api/v1/runners`.',
  ],
  SESSION_CLOSED: [
    'The session is closed.',
    'Somebody closed it.',
    'Open it again with SESSION_OPEN, or use another thread.',
  ],
  SESSION_CLOSING: ['The session is being closed.', 'Somebody is closing it.', 'Wait, then open it again.'],
  SESSION_FAILED: [
    'The session cannot go on.',
    'It failed to open, or what is stored of it cannot be used.',
    'Use another thread; the host’s log has the reason.',
  ],
  SESSION_NOT_OPEN: [
    'The session is not open.',
    'A message came before SESSION_OPEN or after SESSION_CLOSE.',
    'Open it first.',
  ],
  SESSION_QUARANTINED: [
    'The session is read-only.',
    'Its log does not verify: bytes on the disk have changed.',
    'Restore a backup; `rostra replay` shows where it is damaged.',
  ],
  TOO_MANY_TRANSACTIONS: [
    'Too much of the session changes at once.',
    'Invitations, removals or handovers that have not come to an end.',
    'Wait for some of them to end.',
  ],
  TURN_NOT_FOUND: [
    'There is no such turn.',
    'It has ended, or never was.',
    'Nothing: there is nothing to do any more.',
  ],
  TX_NOT_PENDING: [
    'There is nothing to confirm or reject any more.',
    'The handover was decided, or its time was up.',
    'Look at the pending questions again.',
  ],
};

/** `error.code` of runs that failed, where the host gives it; runners add codes of their own. */
export const runFailureTexts: Readonly<Record<RunFailure, ReasonText>> = {
  'agent.not_found': [
    'The agent of the turn is gone.',
    'It was deleted, or its runner is not there any more.',
    'Use another agent, or make it again.',
  ],
  budget_exceeded: [
    'The agent used all that it may.',
    'A limit of its run or day was reached, and nobody granted more.',
    'Grant more when asked, or raise `agents.<id>.policy.limits`.',
  ],
  cancelled: [
    'Somebody stopped it.',
    'A cancel, an interrupt, a client that went away, or the deletion of its session.',
    'Nothing.',
  ],
  deadline_exceeded: [
    'The turn took too long.',
    'No output for `session.timeouts.idle`, or longer than `session.timeouts.turn` in all.',
    'Send it again; raise the timeout if the work takes so long.',
  ],
  'host.restarted': [
    'The host was restarted while it ran.',
    'The run could not be taken up again: its runner is not resumable.',
    'Send it again.',
  ],
  payload_too_large: [
    'What the run received or said is too large.',
    'A context over its limit, or a result over 1 MiB.',
    'Put large content into artifacts.',
  ],
  'runner.busy': [
    'The runner has no room.',
    'More runs wait than it takes.',
    'Send it again later; raise `limits.runs_per_process`.',
  ],
  'runner.error': [
    'The runner failed at the run.',
    'It answered with an error, or ended the run without a result.',
    'Look at the runner’s log.',
  ],
  'runner.exited': [
    'The runner’s process died.',
    'A crash, or somebody ended it.',
    'Send it again: a new process is there. Look at the runner’s log.',
  ],
  'runner.not_found': [
    'No package offers the agent’s runner.',
    'It is not installed, disabled, or did not start.',
    'Look at `rostra runners list`.',
  ],
  'runner.overrun': [
    'The runner sent more than it was allowed to.',
    'It ignores the flow control of the protocol.',
    'Tell the author of the runner.',
  ],
  'runner.quarantined': [
    'The runner is put aside for a while.',
    'It died too often, or listed something impossible.',
    'Correct it, then `POST /api/v1/runners/{id}/restart`.',
  ],
  'runner.start_failed': [
    'The runner did not start.',
    'Its program is missing, fails, or says something else than what it offers.',
    'Look at the runner’s log; `rostra runners check` tries it.',
  ],
  'runner.start_timeout': [
    'The runner did not start in time.',
    'It takes longer than 20 s until it says what it offers.',
    'Let it do less before that.',
  ],
  'runner.unauthorized': [
    'The agent may not use this runner.',
    'It is bound to other packages (`agents.<id>.packages`).',
    'Name the package there.',
  ],
};

/** `details.reason` of what management refuses. */
export const managementReasonTexts: Readonly<Record<ManagementReason, ReasonText>> = {
  AGENT_EXISTS: ['There is an agent of this id.', 'It was made before.', 'Choose another id, or change that agent.'],
  AGENT_IN_USE: [
    'Sessions use the agent.',
    'It is the active agent of the sessions that `details.sessions` names.',
    'Switch them to another one, or delete it with `?force=1`.',
  ],
  AGENT_READ_ONLY: [
    'The agent cannot be changed here.',
    'It is named in `rostra.yaml`, comes with its runner, or belongs to the demo.',
    'Change the file and run `rostra reload`, or make an agent of another id.',
  ],
  RUNNER_DISABLED: [
    'The runner package is not enabled.',
    'The configuration says `enabled: false`, or the package could not be read.',
    'Correct the configuration and run `rostra reload`.',
  ],
};
