import type { KeyScope } from '@rostra/protocol/config/entry-config';
import type { LogRecord } from '@rostra/protocol/record/record';
import type { GivenAnswer, InteractionSubject } from '@rostra/protocol/run-api/interaction';
import type { UserInputPayload } from '@rostra/protocol/session/input';
import type { PayloadOf, SessionMessage, SubtypeOf } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import type { Sender } from '@rostra/protocol/session/sender';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { CorruptLogError, type SessionStore, type TurnRow } from '../store/port.ts';
import type { SessionCare } from '../store/ports/session-care.ts';
import { isGone, refuseDeleted } from './deleted-session.ts';
import type { Ownership } from './driver-start.ts';
import type { Known } from './known-messages.ts';
import type { Outcome, SessionDriver } from './session-driver.ts';
import type { SessionRuntime } from './session-runtime.ts';

/** Who asks, as the connection proved it. */
export interface Principal {
  workspace_id: string;
  user_id: string;
  /** Whoever runs the workspace: its sessions are theirs too, whoever began them. */
  is_admin?: boolean;
  /** The credential that proved it: what streams are counted and cut by, and the limits that it has of its own. */
  credential?: Credential;
  /** The login of a browser that stood for the credential; it may end before that does. */
  login?: Login;
}

export interface Login {
  /** `login:<id>`. */
  readonly id: string;
  readonly expires_at: number;
}

export interface Credential {
  /** `owner`, `key:<id>`, `jwt:<subject>`. */
  readonly id: string;
  readonly scopes: readonly KeyScope[];
  /** Streams at a time and runs a minute; null: no more than the node itself allows. */
  readonly streams: number | null;
  readonly runs_minute: number | null;
}

export interface RunSubmission {
  session_id: string;
  principal: Principal;
  /** The client's idempotency key within the session. */
  message_id: string;
  turn_id: string;
  payload: UserInputPayload;
  /** How a session that does not exist yet is opened. */
  open: PayloadOf<'CONTROL', 'SESSION_OPEN'>;
  /** Turns that nobody waits for any more. Those that the input takes back are stopped anyway. */
  cancels?: readonly string[] | undefined;
}

export interface SubmittedEvent extends RunSubmission {
  /** Who speaks, where that is not the principal whose session it is: a participant, who may send inputs only. */
  speaker: string | null;
}

/** An answer of a person to what stands in the inbox. */
export interface Answering {
  session_id: string;
  principal: Principal;
  interaction_id: string;
  purpose: InteractionSubject;
  answer: GivenAnswer;
}

export interface AcceptedRun {
  turn_id: string;
  created_at: number;
}

type GatewayStore = Pick<SessionStore, 'findTurn' | 'readHead'> & { sessions?: Pick<SessionCare, 'tombstone'> };

/** Where frontends hand messages to a session and learn, after the commit, what it decided (SR-D52). */
export class SessionGateway {
  readonly #runtime: SessionRuntime;
  readonly #store: GatewayStore;
  readonly #newId: () => string;

  constructor(runtime: SessionRuntime, store: GatewayStore, newId: () => string) {
    this.#runtime = runtime;
    this.#store = store;
    this.#newId = newId;
  }

  /** Accepts one turn, or throws the session's refusal. The same submission again gets the same answer. */
  submitRun(run: RunSubmission): Promise<AcceptedRun> {
    return this.#submit(run, null);
  }

  /** The same for an event; where somebody else than the session's owner speaks, it is with no right of the owner's. */
  submitEvent(event: SubmittedEvent): Promise<AcceptedRun> {
    return this.#submit(event, event.speaker);
  }

  /** The turn that an event made: its id follows from the event's, so that whoever asks knows whose it is. */
  async findEvent(turn_id: string): Promise<TurnRow | null> {
    return this.#runtime.recentTurns.get(turn_id) ?? (await this.#store.findTurn(turn_id));
  }

  async #submit(run: RunSubmission, speaker: string | null): Promise<AcceptedRun> {
    const { session_id, principal, payload, turn_id, message_id } = run;
    const ownership = { workspace_id: principal.workspace_id, owner_id: principal.user_id };
    const driver = await this.#driver(session_id, principal, ownership);
    if (driver === null || !owns(driver, principal)) throw noSuchThread();
    const { known, publish } = await this.#post(driver, principal, (sender) => {
      const from: Sender = speaker === null ? sender : { kind: 'user', id: speaker, role: 'participant' };
      const input = MessageFactory.userInput(payload, clientEnvelope(driver, from, message_id, turn_id));
      const stale = staleTurns(driver, run).map((stale_id) =>
        control(driver, sender, `${message_id}:cancel:${stale_id}`, 'CANCEL', { turn_id: stale_id }),
      );
      if (!driver.isUntouched) return [...stale, input];
      return [control(driver, sender, `${message_id}:open`, 'SESSION_OPEN', run.open), input];
    });
    if (known !== null) return repeated(known, payload.payload_hash ?? null);
    const accepted = publish.find((message) => message.subtype === 'TURN_ACCEPTED');
    if (accepted === undefined) throw refusalOf(publish);
    return { turn_id, created_at: accepted.ts };
  }

  /** Asks for a turn to be stopped. `terminal`: it had ended before. */
  async cancelTurn(
    turn: Pick<TurnRow, 'session_id' | 'turn_id'>,
    principal: Principal,
  ): Promise<'accepted' | 'terminal'> {
    const driver = await this.#driver(turn.session_id, principal);
    if (driver === null || !owns(driver, principal)) throw noSuchThread();
    const { turn_id } = turn;
    const { publish } = await this.#post(driver, principal, (sender) => [
      control(driver, sender, `cancel:${this.#newId()}`, 'CANCEL', { turn_id }),
    ]);
    if (publish.some((message) => message.subtype === 'REFUSED')) throw refusalOf(publish);
    return publish.some((message) => message.subtype === 'NO_ACTIVE_SPEAKING') ? 'terminal' : 'accepted';
  }

  /** Hands an answer to the session that asked; false when the session had closed the question before. */
  async answer({ session_id, principal, interaction_id, purpose, answer }: Answering): Promise<boolean> {
    const driver = await this.#driver(session_id, principal);
    if (driver === null || !owns(driver, principal)) throw noSuchThread();
    const { publish, hasEffect = false } = await this.#post(driver, principal, (sender) => {
      const id = `answer:${this.#newId()}`;
      if (purpose !== 'handover') {
        return [control(driver, sender, id, 'INTERACTION_ANSWERED', { interaction_id, ...answer })];
      }
      const isConfirmed = answer.action_id === 'confirm';
      const said = isConfirmed
        ? control(driver, sender, id, 'HANDOVER_CONFIRM', {})
        : control(driver, sender, id, 'HANDOVER_REJECT', { reason: 'user' });
      return [{ ...said, tx_id: interaction_id }];
    });
    const refused = publish.find((message) => message.event === 'ERROR' && message.subtype === 'REFUSED');
    if (refused?.event !== 'ERROR' || refused.subtype !== 'REFUSED') return hasEffect;
    const { reason } = refused.payload;
    if (reason === 'INTERACTION_NOT_OPEN' || reason === 'TX_NOT_PENDING') return false;
    throw refusalOf(publish);
  }

  /** The session as its own people reach it; null where there is none of theirs. */
  async reach(session_id: string, principal: Principal): Promise<SessionDriver | null> {
    const driver = this.#runtime.driver(session_id) ?? (await this.#driver(session_id, principal));
    return driver !== null && owns(driver, principal) ? driver : null;
  }

  /** What a message with this id made when it came first, told when that is committed; null when it did not come yet. */
  findKnown(driver: SessionDriver, message_id: string): Promise<Known | null> {
    const known = driver.known.get(message_id);
    return new Promise((resolve, reject) => {
      if (known !== undefined) {
        driver.whenCommitted((error) => (error === null ? resolve(known) : reject(asApiError(error))));
        return;
      }
      const answer = (error: Error | null, outcome: Outcome) => {
        if (error === null) resolve(outcome.known);
        else reject(asApiError(error));
      };
      // It may have come while the store was asked.
      this.#runtime.isKnown(driver, message_id, answer, () => {
        if (driver.known.get(message_id) === undefined) resolve(null);
        else resolve(this.findKnown(driver, message_id));
      });
    });
  }

  /** What the same run came to before; null when it did not come yet. Another one under its name is refused. */
  async findRepeat(run: Pick<RunSubmission, 'session_id' | 'principal' | 'message_id'>, payload_hash: string) {
    const driver = await this.reach(run.session_id, run.principal);
    const known = driver === null ? null : await this.findKnown(driver, run.message_id);
    return known === null ? null : repeated(known, payload_hash);
  }

  /** Hands messages of a person to the session in one go; what the last of them came to is told after the commit. */
  post(driver: SessionDriver, principal: Principal, make: (sender: Sender) => SessionMessage[]): Promise<Outcome> {
    return this.#post(driver, principal, make);
  }

  /** A turn of the caller's own; null for any other, whether or not it exists. */
  async findTurn(turn_id: string, principal: Principal): Promise<TurnRow | null> {
    const recent = this.#runtime.recentTurns.get(turn_id) ?? null;
    const driver = recent === null ? undefined : this.#runtime.driver(recent.session_id);
    if (driver !== undefined && owns(driver, principal)) return recent;
    // What is somebody else's takes the way of what never was, or a clock could tell them apart.
    const stored = await this.#store.findTurn(turn_id);
    return stored !== null && isOwner(stored, principal) ? (recent ?? stored) : null;
  }

  /** Whether a session is somebody else's: nothing may be put there, not even before it is refused. */
  async isForeign(session_id: string, principal: Principal): Promise<boolean> {
    const driver = this.#runtime.driver(session_id);
    try {
      const ownership = driver?.ownership ?? (await this.#store.readHead(session_id));
      return ownership !== null && !isOwner(ownership, principal);
    } catch (error) {
      if (!isGone(error)) throw error;
      await this.#deleted(session_id, principal);
      return true;
    }
  }

  /** Whether the caller may see a session; one that never was is nobody's. */
  async mayRead(session_id: string, principal: Principal): Promise<boolean> {
    const ownership = this.#runtime.driver(session_id)?.ownership ?? (await this.#head(session_id));
    return ownership !== null && isOwner(ownership, principal);
  }

  async #head(session_id: string): Promise<Ownership | null> {
    try {
      return await this.#store.readHead(session_id);
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  }

  /** Committed records after `seq` that are still in memory; null when memory does not reach back that far. */
  tailAfter(session_id: string, seq: number): readonly LogRecord[] | null {
    return this.#runtime.driver(session_id)?.tail.after(seq) ?? null;
  }

  #driver(session_id: string, principal: Principal, create: Ownership | null = null): Promise<SessionDriver | null> {
    return new Promise((resolve, reject) => {
      this.#runtime.withSession(session_id, create, (error, driver) => {
        if (error === null) resolve(driver);
        else if (isGone(error)) this.#deleted(session_id, principal).then(resolve, reject);
        else reject(asApiError(error));
      });
    });
  }

  /** One that was deleted is none, but for whoever owned it: they are told. */
  async #deleted(session_id: string, principal: Principal): Promise<null> {
    const { sessions } = this.#store;
    const refusal = sessions === undefined ? null : await refuseDeleted(sessions, session_id, principal);
    if (refusal !== null) throw refusal;
    return null;
  }

  /** Posts messages in one go; the outcome is that of the last. */
  #post(driver: SessionDriver, { user_id }: Principal, make: (sender: Sender) => SessionMessage[]): Promise<Outcome> {
    const sender: Sender = { kind: 'user', id: user_id, role: 'owner' };
    const messages = make(sender);
    const last = messages.pop();
    if (last === undefined) throw new Error('nothing to post');
    return new Promise((resolve, reject) => {
      const answer = (error: Error | null, outcome: Outcome) => {
        if (error === null) resolve(outcome);
        else reject(asApiError(error));
      };
      this.#runtime.isKnown(driver, last.id, answer, () => {
        // What came before is only told again: what goes before it would fall on what it has begun.
        const before = driver.known.get(last.id) === undefined ? messages : [];
        // The session may have left memory meanwhile: it is loaded again, in the order of what was sent.
        for (const message of before) this.#runtime.onMessage(message, () => undefined);
        this.#runtime.onMessage(last, answer);
      });
    });
  }

  stats(): { sessions: number; live_turns: number; mailbox: number } {
    let sessions = 0;
    let mailbox = 0;
    let live_turns = 0;
    for (const driver of this.#runtime.drivers()) {
      sessions += 1;
      mailbox += driver.waiting;
      live_turns += Object.keys(driver.context.inflight).length;
    }
    return { sessions, live_turns, mailbox };
  }

  /** Turns that go on without a person. One that asks somebody, and what waits behind it, is the next host's affair. */
  get workingTurns(): number {
    let working = 0;
    for (const { context } of this.#runtime.drivers()) {
      const turns = Object.values(context.inflight);
      const begun = turns.filter(({ run_id }) => run_id !== null);
      const onlyAsks =
        begun.length > 0 && begun.every(({ paused_at, cancel }) => paused_at !== null && cancel === null);
      if (!onlyAsks) working += turns.length;
    }
    return working;
  }
}

function clientEnvelope(driver: SessionDriver, sender: Sender, id: string, turn_id?: string) {
  const { session_id, epoch } = driver;
  return { id, session_id, sender, target: 'SYSTEM' as const, turn_id, ts: 0, epoch };
}

export function control<S extends SubtypeOf<'CONTROL'>>(
  driver: SessionDriver,
  sender: Sender,
  id: string,
  subtype: S,
  payload: PayloadOf<'CONTROL', S>,
): SessionMessage {
  return MessageFactory.control(subtype, payload, clientEnvelope(driver, sender, id));
}

/** What an input takes back is not said any further. */
function staleTurns({ context }: SessionDriver, { cancels = [], payload: { branch } }: RunSubmission): string[] {
  if (branch === undefined && cancels.length === 0) return [];
  const live = Object.values(context.inflight);
  const from = branch?.from_seq ?? Number.POSITIVE_INFINITY;
  const begun = ({ input_seq, context_seq }: (typeof live)[number]) => input_seq ?? context_seq ?? 0;
  const stale = live.filter((turn) => begun(turn) >= from || cancels.includes(turn.turn_id));
  return stale.map(({ turn_id }) => turn_id);
}

function owns({ ownership }: SessionDriver, principal: Principal): boolean {
  return isOwner(ownership, principal);
}

export function isOwner(ownership: Ownership, principal: Principal): boolean {
  const isTheirs = principal.is_admin === true || ownership.owner_id === principal.user_id;
  return isTheirs && ownership.workspace_id === principal.workspace_id;
}

/** The same key with the same body is the same run; with another body it is a mistake of the client (SR-INV-T8). */
export function repeated(known: Known, payload_hash: string | null): AcceptedRun {
  if (known !== true && known.payload_hash === payload_hash) return known;
  throw new ApiError('invalid_argument', 'this runId was used for another input', {
    details: { reason: 'CONFLICT', hint: 'Choose a new runId for a new input.' },
  });
}

export function refusalOf(publish: SessionMessage[]): ApiError {
  for (const message of publish) {
    if (message.event !== 'ERROR' || message.subtype === 'RUN_FAILED') continue;
    const { code, message: text, retryable, details } = message.payload;
    return new ApiError(code, text, { retryable, details });
  }
  return new ApiError('unauthorized', 'this session does not take that message from you');
}

/** Foreign and unknown threads look the same. */
export function noSuchThread(): ApiError {
  return new ApiError('not_found', 'there is no such thread');
}

export function asApiError(error: Error): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof CorruptLogError) {
    const details = {
      reason: 'LOG_CORRUPT',
      hint: 'The log of this session is damaged; it can be read, not continued.',
    };
    return new ApiError('runtime_error', 'this session cannot be continued', { details });
  }
  return new ApiError('runtime_error', 'the store is not available', { retryable: true });
}
