import { type Call, checkCall } from '@rostra/kernel/grant/check-call';
import type { ApiMethodName } from '@rostra/protocol/api/api-methods';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Json } from '@rostra/protocol/wire/json';
import type { CapabilityReason } from '@rostra/protocol/wire/reason';
import type { ApiDoor, IncomingCall } from '../orchestrator/api-door.ts';
import { type ActiveRun, noSuchRun } from '../orchestrator/run-charter.ts';
import type { ApiService, ApiServices, ServedCall } from './api-family.ts';
import type { AuditTrail } from './audit-trail.ts';
import { type CallMeter, sizeOfAnswer, sizeOfCall } from './call-meter.ts';
import { readParams } from './call-params.ts';
import { type CallOutcome, recordOf } from './call-record.ts';
import type { RefusalCount } from './refusal-count.ts';

export interface ProxyOptions {
  readonly services: ApiServices;
  /** Where calls are counted that name no run. */
  readonly workspace_id: string;
  readonly clock: { now(): number };
  readonly meter: CallMeter;
  /** Throws for a run that has used up what it may use. */
  readonly budget?: { enter(run: ActiveRun): void };
  readonly audit: Pick<AuditTrail, 'add'>;
  readonly refusals: Pick<RefusalCount, 'refused'>;
}

/** What is known of a call on its way through the gate. */
interface Passage {
  readonly at: number;
  asked: Call | null;
}

/**
 * The one gate between runners and what the host has.
 *
 * P1. A call is served only after every check, in this order: a live run of this connection, the caller's identity, the
 *     params, the run's grant with its scope, the deadline, the rate and the budget (RP-7.2 to RP-7.6). What is granted
 *     is decided by the grant that was frozen at the run's start and by nothing else.
 * P2. Every call has one row in the audit, with the word that its caller got.
 * P3. A call whose run ends before its answer gets no answer but that.
 */
export class AgentRunAPIProxy implements ApiDoor {
  readonly #options: ProxyOptions;

  constructor(options: ProxyOptions) {
    this.#options = options;
  }

  async call(call: IncomingCall): Promise<unknown> {
    const passage: Passage = { at: this.#options.clock.now(), asked: null };
    try {
      const answer = await this.#pass(call.method, call, passage);
      this.#note(call, passage, null);
      return answer;
    } catch (error) {
      const refusal = error instanceof ApiError ? error : fault();
      this.#note(call, passage, refusal);
      if (!isOver(call.run) && !isDenied(refusal)) this.#options.refusals.refused(call, refusal.code);
      throw error;
    }
  }

  async #pass<M extends ApiMethodName>(method: M, call: IncomingCall, passage: Passage): Promise<unknown> {
    const { services, meter, budget } = this.#options;
    const { run, caller } = call;
    const { at } = passage;
    if (run === null || isOver(run)) throw noSuchRun();
    if (run.charter.package_name !== caller) throw noSuchRun();
    const params = readParams(method, call.params);
    const service: ApiService<M> | undefined = services[method];
    if (service === undefined) throw new ApiError('unauthorized', `This run was not granted ${method}.`);
    passage.asked = await service.asks(params, run);
    const refusal = checkCall(run.charter.grant, passage.asked);
    if (refusal !== null) throw new ApiError(refusal.code, refusal.message, refusal);
    if (at >= run.deadline_at) throw deadlinePassed();
    meter.enter(run, sizeOfCall(params, call.bytes), at);
    budget?.enter(run);
    if (isOver(run)) throw noSuchRun();
    const push = (piece: Json) => this.#push(call, run, piece);
    // What serves a method without pieces has no use for it, which the compiler cannot see for any method at once.
    const serving = service.serve(params, run, push as never, new Served(run, call.given_up));
    const answer = await this.#unlessOver(run, serving);
    meter.answered(run, sizeOfAnswer(answer), at);
    return answer;
  }

  async #push(call: IncomingCall, run: ActiveRun, piece: Json): Promise<void> {
    if (isOver(run)) throw this.#endOf(run);
    this.#options.meter.piece(run, sizeOfAnswer(piece), this.#options.clock.now());
    await call.push(piece);
  }

  /** The run's end comes first: whoever serves the call may take longer, and nobody hears of it. */
  #unlessOver<T>(run: ActiveRun, work: Promise<T>): Promise<T> {
    const { signal } = run;
    return new Promise((resolve, reject) => {
      const end = () => reject(this.#endOf(run));
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
    });
  }

  #endOf(run: ActiveRun): ApiError {
    return this.#options.clock.now() >= run.deadline_at ? deadlinePassed() : noSuchRun();
  }

  #note(call: IncomingCall, { at, asked }: Passage, refusal: CallOutcome['refusal']): void {
    this.#options.audit.add(recordOf({ call, at, asked, refusal }, this.#options.workspace_id));
  }
}

/** Most services look at no signal: it is made for those that do. */
class Served implements ServedCall {
  readonly #run: ActiveRun;
  readonly #given_up: AbortSignal | undefined;
  #signal: AbortSignal | undefined;

  constructor(run: ActiveRun, given_up: AbortSignal | undefined) {
    this.#run = run;
    this.#given_up = given_up;
  }

  get signal(): AbortSignal {
    const { signal } = this.#run;
    this.#signal ??= this.#given_up === undefined ? signal : AbortSignal.any([signal, this.#given_up]);
    return this.#signal;
  }
}

function isOver(run: ActiveRun | null): boolean {
  return run?.signal.aborted === true;
}

/** What a person or a policy did not allow was granted, and may be asked for: it is held against nobody. */
function isDenied({ details }: ApiError): boolean {
  const denied: CapabilityReason = 'TOOL_DENIED';
  return details.reason === denied;
}

function deadlinePassed(): ApiError {
  return new ApiError('deadline_exceeded', 'The deadline of the run has passed.');
}

/** A bug of the host: its caller learns that there was one, its log what it was. */
function fault(): ApiError {
  return new ApiError('runtime_error', 'The call failed because of a fault of the host.');
}
