import type { IncomingMessage, ServerResponse } from 'node:http';
import { mentionOf } from '@rostra/kernel/agui/inbound';
import type { ToolResult } from '@rostra/kernel/agui/projected-input';
import { type KnownThread, type Projection, projectAgui } from '@rostra/kernel/agui/projection';
import { type AguiEvent, INTERRUPT_OPEN } from '@rostra/protocol/run-api/agui-event';
import type { AguiInput, AguiResume } from '@rostra/protocol/run-api/agui-input';
import type { RunAgentInput } from '@rostra/protocol/run-api/run-agent-input';
import { checkRunRules, RunRule } from '@rostra/protocol/run-api/run-rules';
import type { AgentInput } from '@rostra/protocol/session/input';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { jsonObjectOf } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { Continued, ContinuedRuns } from '../../session/continued-run.ts';
import type { Known } from '../../session/known-messages.ts';
import type { SessionDriver } from '../../session/session-driver.ts';
import { type Principal, repeated, type SessionGateway } from '../../session/session-gateway.ts';
import { sessionIdOf } from '../../session/session-id.ts';
import type { TurnRow } from '../../store/port.ts';
import { readBody } from '../body.ts';
import { checkContentType } from '../content-type.ts';
import { HttpError } from '../errors.ts';
import { readAgui } from '../run-body.ts';
import { checkUrls, submitTurn } from '../run-submission.ts';
import { sendEvents } from '../sse/sse-answer.ts';
import type { StreamHub, StreamPlace } from '../sse/stream-hub.ts';
import { checkAgent, checkDraining, checkTools, RUNS_PATH, type RunsDeps } from './runs.ts';

/** What the AG-UI profile needs of a host beside what all runs need. */
export interface AguiIntake {
  readonly gateway: Pick<SessionGateway, 'reach' | 'findKnown'>;
  readThread(
    driver: SessionDriver | null,
    body: AguiInput,
    open: Awaited<ReturnType<ContinuedRuns['openQuestions']>>,
  ): Promise<KnownThread>;
  /** What was said at that place of the transcript. */
  saidAt(session_id: string, seq: number): Promise<AgentInput | null>;
  continued: Pick<ContinuedRuns, 'openQuestions' | 'resume' | 'toolResults' | 'wereAsked'>;
  /** How long a run of this agent goes on when its client is gone (RA-9.25). */
  grace(agent_id: string): number;
}

export interface AguiDeps extends RunsDeps {
  hub: StreamHub;
  agui: AguiIntake;
}

/** Half of what a run may bring beside its message before it is kept elsewhere. */
const SMALL_BYTES = limits.event_data_bytes / 2;

const bodyLimit = { bytes: limits.agui_body_bytes, message: RunRule.payload };

/** One request of an AG-UI client. */
interface Asked {
  readonly principal: Principal;
  readonly session_id: string;
  readonly body: AguiInput;
  readonly payload_hash: string;
  /** How large the body was. */
  readonly bytes: number;
  readonly agent_id: string | undefined;
  readonly res: ServerResponse;
  /** Of the stream that answers it. */
  readonly place: StreamPlace;
  /** It came before: what goes on is only looked at. */
  isAgain: boolean;
}

/** Who goes away may want the run to go on; who comes to one that goes on anyway has ended its grace (RA-9.25). */
function graceOf({ agui }: AguiDeps, { body: { forwardedProps }, isAgain }: Asked, turn: TurnRow): number | undefined {
  if (isAgain) return undefined;
  const said = jsonObjectOf(forwardedProps);
  return said.onDisconnect === 'continue' ? undefined : agui.grace(turn.agent_id);
}

function follow(deps: AguiDeps, asked: Asked, turn: TurnRow, from_seq?: number): Promise<void> {
  const { principal, place, res } = asked;
  const location = `${RUNS_PATH}/${turn.turn_id}`;
  const grace = graceOf(deps, asked, turn);
  return deps.hub.follow(turn, { principal, place, cursor: null, from_seq, until: 'run_end', grace, location }, res);
}

async function followTask(deps: AguiDeps, asked: Asked, turn_id: string): Promise<void> {
  const turn = await deps.gateway.findTurn(turn_id, asked.principal);
  if (turn === null) throw new Error(`the turn ${turn_id} was accepted and is not to be found`);
  await follow(deps, asked, turn);
}

/** Nothing was asked for: a run without any events. */
function answerEmpty({ body: { threadId, runId }, res }: Asked): void {
  sendEvents(res, [
    { type: 'RUN_STARTED', threadId, runId },
    { type: 'RUN_FINISHED', threadId, runId },
  ]);
}

async function followContinued(deps: AguiDeps, asked: Asked, continued: Continued): Promise<void> {
  if (continued.turn === null) answerEmpty(asked);
  else await follow(deps, asked, continued.turn, continued.from_seq);
}

/** Both go on with one task: what the client was told of either question is not told again. */
function later(given: Continued | null, continued: Continued): Continued {
  if (given === null || given.turn === null) return continued;
  if (continued.turn === null) return given;
  const isOne = continued.turn.turn_id === given.turn.turn_id;
  return isOne && given.from_seq > continued.from_seq ? given : continued;
}

type Answered = Pick<Asked, 'principal' | 'session_id' | 'payload_hash'> & { client_run_id: string };

function resume({ agui }: AguiDeps, run: Answered, answers: readonly AguiResume[]): Promise<Continued> {
  const given = answers.map(({ interruptId, status, payload }) => ({ interaction_id: interruptId, status, payload }));
  return agui.continued.resume({ ...run, answers: given });
}

/**
 * The same for a client that may not know that a question was answered elsewhere, or is over: it runs nothing before it
 * has answered all that it was asked, and is to be let out of that.
 */
async function resumeLate(deps: AguiDeps, run: Answered, answers: readonly AguiResume[]): Promise<Continued> {
  try {
    return await resume(deps, run, answers);
  } catch (error) {
    if (!(error instanceof ApiError) || error.details.reason !== 'INTERACTION_NOT_OPEN') throw error;
    const ids = answers.map(({ interruptId }) => interruptId);
    if (!(await deps.agui.continued.wereAsked(run.session_id, ids))) throw error;
    return { turn: null };
  }
}

function giveResults({ agui }: AguiDeps, run: Answered, results: readonly ToolResult[]): Promise<Continued> {
  return agui.continued.toolResults({ ...run, results });
}

/** The key under which what a body answers is known; what comes beside a new message has one of its own. */
function answeredBy({ principal, session_id, payload_hash, body }: Asked, suffix = ''): Answered {
  return { principal, session_id, payload_hash, client_run_id: `${body.runId}${suffix}` };
}

/** The same request again goes on where the first one does; another one under its name is a mistake (RA-9.20). */
async function attachAgain(deps: AguiDeps, asked: Asked, known: Known): Promise<void> {
  asked.isAgain = true;
  const answers = asked.body.resume ?? [];
  if (answers.length > 0) await followContinued(deps, asked, await resume(deps, answeredBy(asked), answers));
  else if (known === true) {
    await followContinued(deps, asked, await giveResults(deps, answeredBy(asked), everyResult(asked.body)));
  } else {
    await followTask(deps, asked, repeated(known, asked.payload_hash).turn_id);
  }
}

/** What of a body may be the results of a client's tools; which of them are awaited, the session knows. */
function everyResult({ messages }: AguiInput): ToolResult[] {
  return messages.flatMap((message) =>
    message.role === 'tool' ? { tool_call_id: message.toolCallId, content: '' } : [],
  );
}

type TurnProjection = Extract<Projection, { kind: 'turn' | 'regenerate' | 'edit' }>;

/** How large what was made of a thread is; no larger than any run may be. */
function sizeOf(made: object, whole: number): number {
  // What is made of a small body is small: it need not be written out to be measured.
  const bytes = whole <= SMALL_BYTES ? whole : Buffer.byteLength(JSON.stringify(made));
  if (bytes <= limits.run_body_bytes) return bytes;
  throw new HttpError(413, 'payload_too_large', RunRule.payload, { details: { limit_bytes: limits.run_body_bytes } });
}

/** The rules of any run, for what was made of a thread. */
function checked(input: RunAgentInput, whole: number): { input: RunAgentInput; bytes: number } {
  const bytes = sizeOf(input, whole);
  const check = checkRunRules(input);
  if (!check.ok) throw check.error;
  return { input: check.input, bytes };
}

/** A message that is only to be answered again is taken as it was said: its urls may have run out since. */
async function saidBefore(
  deps: AguiDeps,
  session_id: string,
  { input, from_seq }: Extract<TurnProjection, { kind: 'regenerate' | 'edit' }>,
): Promise<AgentInput | undefined> {
  const [user] = input.messages;
  if (typeof user?.content === 'string') return undefined;
  return (await deps.agui.saidAt(session_id, from_seq)) ?? undefined;
}

async function beginTurn(deps: AguiDeps, asked: Asked, turn: TurnProjection): Promise<void> {
  const { principal, session_id, payload_hash, agent_id } = asked;
  const { input, bytes } = checked(turn.input, asked.bytes);
  sizeOf(turn.answers, asked.bytes);
  checkTools(deps, input);
  // Some of the results a run cannot go on with: who went on without the others gave it up.
  const isWhole = turn.results.length > 0 && turn.abandoned.length === 0;
  // An answer cannot be taken back: a message that is refused for its urls is refused before.
  if (turn.answers.length > 0 || isWhole) await checkUrls(deps, principal, input);
  if (turn.answers.length > 0) await resumeLate(deps, answeredBy(asked, ':answers'), turn.answers);
  if (isWhole) await giveResults(deps, answeredBy(asked, ':results'), turn.results);
  const { turn_id } = await submitTurn(deps, principal, {
    input,
    payload_hash,
    bytes,
    agent_id,
    dropped: turn.dropped,
    cancels: turn.abandoned,
    branch: turn.kind === 'turn' ? undefined : { from_seq: turn.from_seq },
    said: turn.kind === 'regenerate' ? await saidBefore(deps, session_id, turn) : undefined,
  });
  await followTask(deps, asked, turn_id);
}

function answerOpen({ res }: Asked, open: readonly string[]): void {
  const event: AguiEvent = {
    type: 'RUN_ERROR',
    code: INTERRUPT_OPEN,
    message: 'Answer the open interrupts first: send `resume` with an entry for each of them.',
    metadata: { interruptIds: [...open] },
  };
  sendEvents(res, [event]);
}

type Continuation = Extract<Projection, { kind: 'resume' | 'continuation' }>;

async function goOn(deps: AguiDeps, asked: Asked, projection: Continuation): Promise<void> {
  sizeOf(projection, asked.bytes);
  const { results } = projection;
  if (projection.kind === 'continuation') {
    await followContinued(deps, asked, await giveResults(deps, answeredBy(asked), results));
    return;
  }
  // The run that goes on is named by the last of what it waits for.
  const given = results.length === 0 ? null : await giveResults(deps, answeredBy(asked, ':results'), results);
  await followContinued(deps, asked, later(given, await resumeLate(deps, answeredBy(asked), projection.answers)));
}

function act(deps: AguiDeps, asked: Asked, projection: Projection): void | Promise<void> {
  switch (projection.kind) {
    case 'refused':
      throw new ApiError('invalid_argument', projection.message);
    case 'interrupted':
      return answerOpen(asked, projection.open);
    case 'echo':
      return answerEmpty(asked);
    case 'resume':
    case 'continuation':
      return goOn(deps, asked, projection);
    default:
      return beginTurn(deps, asked, projection);
  }
}

/** AG-UI's own body in, its events out; `agent_id` is the one that the path names (RA-9.2). */
export async function postAgui(
  deps: AguiDeps,
  principal: Principal,
  agent_id: string | null,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  checkDraining(deps.isDraining());
  checkContentType(req);
  if (agent_id !== null) checkAgent(agent_id, deps.status().agents);
  const { input: body, payload_hash, bytes } = readAgui(await readBody(req, res, bodyLimit, deps.clock));
  const named = mentionOf(body);
  if (named !== undefined) checkAgent(named, deps.status().agents);
  const session_id = sessionIdOf(body.threadId);
  const asked: Asked = {
    principal,
    session_id,
    body,
    payload_hash,
    bytes,
    agent_id: named ?? agent_id ?? undefined,
    res,
    place: deps.hub.reserve(principal, res),
    isAgain: false,
  };
  const driver = await deps.agui.gateway.reach(session_id, principal);
  const known = driver === null ? null : await deps.agui.gateway.findKnown(driver, `run:${body.runId}`);
  if (known !== null) {
    await attachAgain(deps, asked, known);
    return;
  }
  const open = driver === null ? [] : await deps.agui.continued.openQuestions(session_id, principal);
  await act(deps, asked, projectAgui(body, await deps.agui.readThread(driver, body, open)));
}
