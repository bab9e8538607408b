import type { Turn } from '@rostra/kernel/session/context';
import { untakenInputs } from '@rostra/kernel/session/steering';
import type { AgentInput } from '@rostra/protocol/session/input';
import type { PayloadOf, SubtypeOf } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { SessionDriver } from './session-driver.ts';
import { unavailable } from './session-refusal.ts';
import type { SessionRuntime } from './session-runtime.ts';

/** The live run in whose name something is asked; whoever calls has made sure that it is one. */
export interface AskingRun {
  readonly run_id: string;
  readonly turn_id: string;
  readonly session_id: string;
  readonly agent_id: string;
}

/** An input that came while the run was at work. */
export interface TakenInput {
  readonly turn_id: string;
  readonly event_id: string;
  readonly input: AgentInput;
  readonly received_at: number;
}

/**
 * Where live runs ask something of their own session and learn, after the commit, what it decided.
 *
 * A1. An input is taken by one call: what two calls at once ask for is given to the first.
 * A2. What a run is given is in the log as taken, so that no other run gets it.
 */
export class AgentGateway {
  readonly #runtime: SessionRuntime;
  readonly #newId: () => string;
  /** Turns whose inputs are on their way to a run. */
  readonly #giving = new Set<string>();

  constructor(runtime: SessionRuntime, newId: () => string) {
    this.#runtime = runtime;
    this.#newId = newId;
  }

  /** Takes the oldest inputs that came during the run, at most `limit`; what is not taken becomes turns (SR-D48). */
  async takeInputs(run: AskingRun, limit: number): Promise<TakenInput[]> {
    const driver = this.#driver(run);
    const waiting = untakenInputs(driver.context, run.turn_id).filter(
      (turn) => !this.#giving.has(turn.turn_id) && driver.inputOf(turn) !== undefined,
    );
    const taken = waiting.slice(0, limit);
    if (taken.length === 0) return [];
    // Read before they are taken: the session forgets the input of a turn that is over.
    const inputs = taken.map((turn) => takenInput(driver, turn));
    const turn_ids = taken.map(({ turn_id }) => turn_id);
    for (const id of turn_ids) this.#giving.add(id);
    try {
      await this.#post(driver, run, 'STEERING_PULLED', { turn_ids });
    } finally {
      for (const id of turn_ids) this.#giving.delete(id);
    }
    // A person may have taken one back meanwhile, and a run that is being cancelled gets nothing.
    return inputs.filter(({ turn_id }) => driver.context.inflight[turn_id]?.pulled === true);
  }

  /** Asks for the end of a run of the session; of one that is over, nothing happens. */
  async cancelRun(run: AskingRun, target_run_id: string, reason?: string): Promise<void> {
    await this.#post(this.#driver(run), run, 'CANCEL_REQUEST', { run_id: target_run_id, reason });
  }

  /** Whether the turn was left behind by the one that it was to steer. */
  isRequeued(session_id: string, turn_id: string): boolean {
    return this.#runtime.driver(session_id)?.context.inflight[turn_id]?.requeued === true;
  }

  #driver({ session_id }: AskingRun): SessionDriver {
    const driver = this.#runtime.driver(session_id);
    if (driver === undefined) throw unavailable();
    return driver;
  }

  #post<S extends SubtypeOf<'CONTROL'>>(
    driver: SessionDriver,
    run: AskingRun,
    subtype: S,
    payload: PayloadOf<'CONTROL', S>,
  ): Promise<void> {
    const { run_id, turn_id, session_id, agent_id } = run;
    const { epoch } = driver;
    const sender = { kind: 'agent' as const, id: agent_id };
    const id = `${run_id}:${this.#newId()}`;
    const envelope = { id, session_id, sender, target: 'SYSTEM' as const, turn_id, run_id, ts: 0, epoch };
    return new Promise((resolve, reject) => {
      driver.post(MessageFactory.control(subtype, payload, envelope), (error) => {
        if (error === null) resolve();
        else reject(error instanceof ApiError ? error : unavailable());
      });
    });
  }
}

function takenInput(driver: SessionDriver, turn: Turn): TakenInput {
  const payload = driver.inputOf(turn);
  if (payload === undefined) throw new Error(`the input of ${turn.turn_id} is not at hand`);
  const { turn_id, created_at: received_at } = turn;
  return { turn_id, event_id: payload.event?.event_id ?? turn_id, input: payload.input, received_at };
}
