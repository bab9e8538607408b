import { answerFault, formOf } from '@rostra/kernel/interaction/answer';
import { resumeAnswer } from '@rostra/kernel/interaction/resume-answer';
import type { SessionContext } from '@rostra/kernel/session/context';
import type { GivenAnswer, InteractionSubject } from '@rostra/protocol/run-api/interaction';
import { type ClientResult, RESULTS, resultValues } from '@rostra/protocol/session/client-call';
import type { PayloadOf, SessionMessage } from '@rostra/protocol/session/message';
import type { Sender } from '@rostra/protocol/session/sender';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Json } from '@rostra/protocol/wire/json';
import type { Bus } from '../bus/port.ts';
import type { TurnRow } from '../store/port.ts';
import { type AnswerLog, findAnswer } from './answer-log.ts';
import { handedTurn } from './handed-turn.ts';
import type { Outcome, SessionDriver } from './session-driver.ts';
import { control, noSuchThread, type Principal, refusalOf, type SessionGateway } from './session-gateway.ts';

/** Something that a session waits for, and that an AG-UI client may answer. */
export interface OpenQuestion {
  interaction_id: string;
  purpose: InteractionSubject;
  /** The turn that asked. */
  turn_id: string | null;
  /** `client_tool`: the calls whose results it waits for. */
  tool_call_ids: readonly string[];
  expires_at: number;
  /** The AG-UI run ended with it. A handover is only a remark while the turn that asks for it goes on. */
  interrupts: boolean;
  /** Where the log tells of it; null where nothing goes on from there. */
  opened_seq: number | null;
}

export interface ResumeAnswer {
  interaction_id: string;
  status: 'resolved' | 'cancelled';
  payload?: Json | undefined;
}

interface Continuation {
  session_id: string;
  principal: Principal;
  /** The client's name for the AG-UI run that begins; its idempotency key together with the session. */
  client_run_id: string;
  payload_hash: string;
}

export interface ResumedRun extends Continuation {
  answers: readonly ResumeAnswer[];
}

export interface ToolResults extends Continuation {
  results: readonly ClientResult[];
}

/** The task that goes on, and the first record that the client has not seen of it; null: nothing goes on. */
export type Continued = { turn: TurnRow; from_seq: number } | { turn: null };

export interface ContinuedRunsOptions {
  readonly gateway: Pick<SessionGateway, 'reach' | 'findKnown' | 'post' | 'findTurn'>;
  readonly log: AnswerLog;
  readonly bus: Pick<Bus, 'follow'>;
  readonly newId: () => string;
}

type Naming = Pick<PayloadOf<'CONTROL', 'INTERACTION_ANSWERED'>, 'client_run_id' | 'payload_hash'>;
interface Given {
  readonly question: OpenQuestion;
  readonly answer: GivenAnswer;
}

/**
 * AG-UI runs that go on with a task which waits: answers to interrupts, results of the client's own tools.
 *
 * C1. What is answered is decided by the session; what it had closed before is not answered again.
 * C2. The same run again goes on where the first one did; with another body it is a conflict.
 * C3. A client is shown everything of its task after the question that it answers.
 */
export class ContinuedRuns {
  readonly #options: ContinuedRunsOptions;

  constructor(options: ContinuedRunsOptions) {
    this.#options = options;
  }

  /** What the session waits for; nothing where there is no such session of the caller's. */
  async openQuestions(session_id: string, principal: Principal): Promise<OpenQuestion[]> {
    const driver = await this.#options.gateway.reach(session_id, principal);
    return driver === null ? [] : questionsOf(driver.context);
  }

  async resume({ answers, ...run }: ResumedRun): Promise<Continued> {
    const ids = answers.map(({ interaction_id }) => interaction_id);
    return this.#continue(run, ids, async (open) => {
      const given: Given[] = [];
      for (const { interaction_id, status, payload } of answers) {
        const question = open.find((each) => each.interaction_id === interaction_id);
        const row = question === undefined ? null : await this.#options.log.interactions.get(interaction_id);
        if (question === undefined || row === null) continue;
        const form = formOf(row);
        const answer = resumeAnswer(form, status, payload);
        const fault = answerFault(form, answer);
        if (fault !== null) throw new ApiError(fault.code, fault.message, fault);
        given.push({ question, answer });
      }
      return given;
    });
  }

  /** Whether all of these were put to somebody in this session, be they open or not. */
  async wereAsked(session_id: string, interaction_ids: readonly string[]): Promise<boolean> {
    const rows = await Promise.all(interaction_ids.map((id) => this.#options.log.interactions.get(id)));
    return rows.every((row) => row?.session_id === session_id);
  }

  async toolResults({ results, ...run }: ToolResults): Promise<Continued> {
    const ids = results.map(({ tool_call_id }) => tool_call_id);
    return this.#continue(run, ids, async (open) => answersOf(open, results));
  }

  /** The same for one task, without a run of its client's: the results are all for this task. */
  async toolResultsOf(turn: TurnRow, principal: Principal, results: readonly ClientResult[]): Promise<void> {
    const driver = await this.#options.gateway.reach(turn.session_id, principal);
    if (driver === null) throw noSuchThread();
    const open = questionsOf(driver.context).filter(({ turn_id }) => turn_id === turn.turn_id);
    const waiting = open.filter(({ purpose }) => purpose === 'client_tool');
    if (waiting.length === 0) throw notOpen('This run does not wait for results of client tools.');
    const stray = results.find(
      ({ tool_call_id }) => !waiting.some((each) => each.tool_call_ids.includes(tool_call_id)),
    );
    if (stray !== undefined) throw wrongResult(`This run does not wait for the call "${stray.tool_call_id}".`);
    const ids = results.map(({ tool_call_id }) => tool_call_id);
    const twice = ids.find((id, index) => ids.indexOf(id) < index);
    if (twice !== undefined) throw wrongResult(`There are two results of the call "${twice}".`);
    const given = answersOf(waiting, results);
    if (given.length === 0) throw wrongResult('There are no results.');
    const id = `results:${this.#options.newId()}`;
    accepted(await this.#post(driver, principal, { id, given, naming: {} }));
  }

  async #continue(
    { session_id, principal, client_run_id, payload_hash }: Continuation,
    ids: readonly string[],
    answer: (open: readonly OpenQuestion[]) => Promise<Given[]>,
  ): Promise<Continued> {
    const { gateway } = this.#options;
    const driver = await gateway.reach(session_id, principal);
    if (driver === null) throw noSuchThread();
    const id = `run:${client_run_id}`;
    const known = await gateway.findKnown(driver, id);
    if (known !== null) {
      const repeated = { session_id, principal, ids, message_id: id, payload_hash, known };
      return this.#again(repeated);
    }
    const given = await answer(questionsOf(driver.context));
    if (given.length === 0) throw notOpen('This question is not open any more.');
    const naming = { client_run_id, payload_hash };
    const handed = given.map(({ question }) => question).find(({ purpose }) => purpose === 'handover');
    // Whoever waits for what comes of a confirmation must listen before it is given.
    const handing = handed === undefined ? null : handedTurn(this.#options.bus, session_id, handed.interaction_id);
    try {
      const outcome = await this.#post(driver, principal, { id, given, naming });
      // Somebody may have sent the very same run at the same time.
      if (outcome.known !== null) {
        return await this.#again({ session_id, principal, ids, message_id: id, payload_hash, known: outcome.known });
      }
      accepted(outcome);
      return await this.#wherefrom(given, principal, outcome, handing);
    } finally {
      handing?.callOff();
    }
  }

  /** One message for each answer; the last has the client's name, and all that goes on goes on from it. */
  #post(
    driver: SessionDriver,
    principal: Principal,
    { id, given, naming }: { id: string; given: readonly Given[]; naming: Naming },
  ): Promise<Outcome> {
    return this.#options.gateway.post(driver, principal, (sender) =>
      given.map((each, index) => {
        const isLast = index === given.length - 1;
        const message_id = isLast ? id : `${id}:${index}`;
        // What has outlived its turn is answered by a turn of its own.
        const turn_id = this.#options.newId();
        return answerMessage(driver, sender, message_id, each, { turn_id, naming: isLast ? naming : {} });
      }),
    );
  }

  async #wherefrom(
    given: readonly Given[],
    principal: Principal,
    { publish }: Outcome,
    handing: ReturnType<typeof handedTurn> | null,
  ): Promise<Continued> {
    const seen = given.flatMap(({ question }) => question.opened_seq ?? []);
    const live = given.find(({ question }) => question.opened_seq !== null)?.question;
    if (live?.turn_id != null) return this.#goingOn(live.turn_id, principal, Math.max(...seen) + 1);
    const made = publish.find((message) => message.event === 'EVENT' && message.subtype === 'TURN_ACCEPTED');
    if (made?.turn_id !== undefined) return this.#goingOn(made.turn_id, principal, null);
    const isConfirmed = given.some(({ question, answer }) => question.purpose === 'handover' && isYes(answer));
    const turn_id = handing !== null && isConfirmed ? await handing.turn : null;
    return turn_id === null ? { turn: null } : this.#goingOn(turn_id, principal, null);
  }

  async #goingOn(turn_id: string, principal: Principal, from_seq: number | null): Promise<Continued> {
    const turn = await this.#options.gateway.findTurn(turn_id, principal);
    if (turn === null) throw new Error(`turn ${turn_id} goes on and has no row`);
    return { turn, from_seq: from_seq ?? turn.first_seq };
  }

  async #again(repeated: Parameters<typeof findAnswer>[1] & { principal: Principal }): Promise<Continued> {
    const { principal } = repeated;
    const found = await findAnswer(this.#options.log, repeated);
    if (found === null) throw conflict();
    if (found.turn_id === null) return { turn: null };
    const turn = await this.#options.gateway.findTurn(found.turn_id, principal);
    return turn === null ? { turn: null } : { turn, from_seq: found.from_seq ?? turn.first_seq };
  }
}

/** Everything that a session waits for from people and their clients, in the order in which it was asked. */
export function questionsOf({ inflight, questions, transactions }: SessionContext): OpenQuestion[] {
  const open: OpenQuestion[] = questions.map(({ interaction_id, turn_id, until }) => ({
    interaction_id,
    purpose: 'question',
    turn_id,
    tool_call_ids: [],
    expires_at: until,
    interrupts: true,
    opened_seq: null,
  }));
  for (const { turn_id, waiting } of Object.values(inflight)) {
    for (const { interaction_id, purpose = 'question', until, calls = [], opened_seq = 0 } of waiting) {
      if (interaction_id === undefined) continue;
      const base = { interaction_id, purpose, turn_id, tool_call_ids: calls, expires_at: until ?? 0 };
      open.push({ ...base, interrupts: true, opened_seq });
    }
  }
  for (const { kind, step, tx_id, turn_id, until } of Object.values(transactions)) {
    if (kind !== 'HANDOVER' || step !== 'PROMPTED') continue;
    const interrupts = turn_id === null || !Object.hasOwn(inflight, turn_id);
    const base = { interaction_id: tx_id, purpose: 'handover' as const, turn_id, tool_call_ids: [] };
    open.push({ ...base, expires_at: until, interrupts, opened_seq: null });
  }
  return open;
}

/** Results by the questions that they answer: each of them whole, or not at all. */
function answersOf(open: readonly OpenQuestion[], results: readonly ClientResult[]): Given[] {
  const byCall = new Map(results.map((result) => [result.tool_call_id, result]));
  return open.flatMap((question) => {
    const { purpose, tool_call_ids } = question;
    if (purpose !== 'client_tool' || !tool_call_ids.some((id) => byCall.has(id))) return [];
    const found = tool_call_ids.map((id) => {
      const result = byCall.get(id);
      if (result === undefined) throw wrongResult(`The result of the call "${id}" is missing.`);
      return result;
    });
    return [{ question, answer: { action_id: RESULTS, values: resultValues(found) } }];
  });
}

function answerMessage(
  driver: SessionDriver,
  sender: Sender,
  id: string,
  { question: { interaction_id, purpose }, answer }: Given,
  { turn_id, naming }: { turn_id: string; naming: Naming },
): SessionMessage {
  if (purpose !== 'handover') {
    const said = control(driver, sender, id, 'INTERACTION_ANSWERED', { interaction_id, ...answer, ...naming });
    return { ...said, turn_id };
  }
  const said = isYes(answer)
    ? control(driver, sender, id, 'HANDOVER_CONFIRM', naming)
    : control(driver, sender, id, 'HANDOVER_REJECT', { reason: 'user', ...naming });
  return { ...said, tx_id: interaction_id };
}

function isYes({ action_id }: GivenAnswer): boolean {
  return action_id === 'confirm';
}

function accepted({ publish, hasEffect = false }: Outcome): void {
  const refused = publish.find((message) => message.event === 'ERROR' && message.subtype === 'REFUSED');
  if (refused?.event === 'ERROR' && refused.subtype === 'REFUSED') {
    const { reason } = refused.payload;
    if (reason !== 'INTERACTION_NOT_OPEN' && reason !== 'TX_NOT_PENDING') throw refusalOf(publish);
  }
  if (refused !== undefined || !hasEffect) throw notOpen('This question is not open any more.');
}

function notOpen(message: string): ApiError {
  const hint = 'Read the run again: it may have ended, or somebody else has answered.';
  return new ApiError('invalid_argument', message, { details: { reason: 'INTERACTION_NOT_OPEN', hint } });
}

function wrongResult(message: string): ApiError {
  const hint = 'Send one result for every call that the run waits for, in one request.';
  return new ApiError('invalid_argument', message, { details: { hint } });
}

function conflict(): ApiError {
  return new ApiError('invalid_argument', 'this runId was used for another input', {
    details: { reason: 'CONFLICT', hint: 'Choose a new runId for a new input.' },
  });
}
