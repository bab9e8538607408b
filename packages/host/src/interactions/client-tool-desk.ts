import type { InteractionRow } from '@rostra/kernel/projection/interaction-rows';
import type { InteractionOutcome } from '@rostra/protocol/api/interactions';
import { type ClientCall, callsIn, clientToolRequest, RESULTS, resultsIn } from '@rostra/protocol/session/client-call';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { canonicalJson } from '@rostra/protocol/wire/canonical-json';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { utf8Length } from '@rostra/protocol/wire/utf8-length';
import type { ActiveRun } from '../orchestrator/run-charter.ts';
import type { InteractionStore } from '../store/ports/interaction.ts';
import type { InteractionDesk } from './interaction-desk.ts';

export interface ClientToolDeskOptions {
  readonly desk: Pick<InteractionDesk, 'callOut' | 'wait'>;
  readonly store: Pick<InteractionStore, 'page'>;
  readonly clock: { now(): number; at(at: number, wake: () => void): () => void };
  readonly newId: () => string;
}

/** Calls of one run on their way: the first waits a little for others, because they are asked for together. */
interface Batch {
  readonly calls: ClientCall[];
  readonly outcome: Promise<InteractionOutcome>;
  close(): void;
}

/** What an earlier attempt of a turn asked its client for. */
interface Earlier {
  readonly call: ClientCall;
  readonly interaction_id: string;
}

/**
 * Tools that the client of a run offers and runs itself.
 *
 * T1. Calls that a run makes at the same time are one question, which is answered as a whole.
 * T2. A further attempt at a turn that makes the calls of the one before it gets the same results: the client is not
 *     asked again.
 */
export class ClientToolDesk {
  readonly #options: ClientToolDeskOptions;
  readonly #batches = new Map<string, Batch>();
  /** By run: what earlier attempts have asked for and this one has not yet. */
  readonly #earlier = new WeakMap<ActiveRun, Promise<Earlier[]>>();

  constructor(options: ClientToolDeskOptions) {
    this.#options = options;
  }

  /** Resolves with what the client's tool came to; rejects when it failed, or nobody ran it. */
  async call(run: ActiveRun, name: string, parameters: JsonObject): Promise<Json> {
    const earlier = await this.#take(run, name, parameters);
    if (earlier !== null) {
      const outcome = await this.#options.desk.wait(run, earlier.interaction_id);
      return resultOf(outcome, earlier.call);
    }
    const call = { tool_call_id: `call-${this.#options.newId()}`, name, parameters };
    if (utf8Length(JSON.stringify(clientToolRequest([call]))) > limits.interaction_bytes) {
      const most = `${limits.interaction_bytes} bytes`;
      throw new ApiError('payload_too_large', `A client's tool is called with at most ${most}.`);
    }
    return resultOf(await this.#join(run, call).outcome, call);
  }

  #join(run: ActiveRun, call: ClientCall): Batch {
    const open = this.#batches.get(run.run_id);
    if (open !== undefined && fits(open.calls, call)) {
      open.calls.push(call);
      return open;
    }
    open?.close();
    const batch = this.#open(run, call);
    this.#batches.set(run.run_id, batch);
    return batch;
  }

  #open(run: ActiveRun, first: ClientCall): Batch {
    const { clock, desk } = this.#options;
    const calls = [first];
    let close: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const callOff = clock.at(clock.now() + limits.client_call_batch, close);
    const outcome = closed.then(() => {
      callOff();
      if (this.#batches.get(run.run_id)?.calls === calls) this.#batches.delete(run.run_id);
      return desk.callOut(run, clientToolRequest(calls));
    });
    return { calls, outcome, close };
  }

  /** The same call of an earlier attempt, each once and in their order. */
  async #take(run: ActiveRun, name: string, parameters: JsonObject): Promise<Earlier | null> {
    const isFirst = run.run_id === `${run.turn_id}.1`;
    if (isFirst) return null;
    let reading = this.#earlier.get(run);
    if (reading === undefined) {
      reading = this.#askedBefore(run);
      this.#earlier.set(run, reading);
    }
    const left = await reading;
    const words = canonicalJson({ name, parameters });
    const index = left.findIndex(
      ({ call }) => canonicalJson({ name: call.name, parameters: call.parameters }) === words,
    );
    return left.splice(index, index < 0 ? 0 : 1)[0] ?? null;
  }

  async #askedBefore(run: ActiveRun): Promise<Earlier[]> {
    const { workspace_id } = run.charter.grant.scope;
    const filter = { workspace_id, session_id: run.session_id, turn_id: run.turn_id, purpose: 'client_tool' as const };
    const { rows } = await this.#options.store.page(filter, { limit: limits.page_items });
    return rows
      .filter((row) => row.run_id !== run.run_id && (row.status === 'pending' || isAnswered(row)))
      .reverse()
      .flatMap(({ interaction_id, request }) => callsIn(request).map((call) => ({ call, interaction_id })));
  }
}

function isAnswered({ status, answer }: InteractionRow): boolean {
  return status === 'answered' && answer?.action_id === RESULTS;
}

function fits(calls: readonly ClientCall[], call: ClientCall): boolean {
  if (calls.length >= limits.client_calls) return false;
  return utf8Length(JSON.stringify(clientToolRequest([...calls, call]))) <= limits.interaction_bytes;
}

function resultOf({ status, action, values }: InteractionOutcome, { tool_call_id, name }: ClientCall): Json {
  if (status === 'expired') {
    throw new ApiError('deadline_exceeded', `Nobody sent the result of the client's tool "${name}" in time.`);
  }
  const result = action === RESULTS ? resultsIn(values).find((each) => each.tool_call_id === tool_call_id) : undefined;
  if (result === undefined) throw failed(`The client did not run its tool "${name}".`);
  if (result.error !== undefined) throw failed(`The client's tool "${name}" failed: ${result.error}`);
  return result.content;
}

function failed(message: string): ApiError {
  return new ApiError('runtime_error', message.slice(0, limits.failure_message_chars));
}
