import { type ApiMethodName, apiMethodNames } from '@rostra/protocol/api/api-methods';
import { CallCancelParams, type CallChunkParams } from '@rostra/protocol/runner/wire-params';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { isJsonObject, type Json } from '@rostra/protocol/wire/json';
import type { WireMethod } from '@rostra/protocol/wire/method';
import type { FrameId } from '@rostra/transport/frame';
import type { Peer } from '@rostra/transport/peer';
import type { ApiDoor } from './api-door.ts';
import type { ActiveRun } from './run-charter.ts';

/** Whose run an id is, for one connection. */
export interface CallerRuns {
  /** Live, dispatched on this connection; null for anything else. */
  live(run_id: string): ActiveRun | null;
  /** It was, and is over. */
  wasLive(run_id: string): boolean;
}

const chunk: WireMethod = 'CALL_CHUNK';
const giveUp: WireMethod = 'CALL_CANCEL';

/** The calls of one connection on their way to the door, and their answers' pieces on the way back. */
export class ApiCalls {
  readonly #peer: Peer;
  readonly #door: ApiDoor;
  readonly #runs: CallerRuns;
  /** The package that is connected: who calls, whatever a call says (RP-7.3). */
  readonly #caller: string;
  /** Calls in flight, by the caller's names for them; aborted when it wants no more of one. */
  readonly #open = new Map<FrameId, AbortController>();

  constructor(peer: Peer, door: ApiDoor, runs: CallerRuns, caller: string) {
    this.#peer = peer;
    this.#door = door;
    this.#runs = runs;
    this.#caller = caller;
    for (const method of apiMethodNames) {
      peer.onRequest(method, (params, id, bytes) => this.#call(method, params, id, bytes));
    }
    peer.onNotification(giveUp, (params) => {
      const call = CallCancelParams.safeParse(params);
      if (call.success) this.#open.get(call.data.id)?.abort(unwanted());
    });
  }

  async #call(method: ApiMethodName, params: Json | undefined, id: FrameId, bytes: number): Promise<unknown> {
    const run_id = runIdIn(params);
    const run = run_id === null ? null : this.#runs.live(run_id);
    const was_live = run === null && run_id !== null && this.#runs.wasLive(run_id);
    const open = new AbortController();
    this.#open.set(id, open);
    try {
      const { signal: given_up } = open;
      const push = (piece: Json) => this.#push(id, given_up, piece);
      return await this.#door.call({ method, params, bytes, run, was_live, caller: this.#caller, push, given_up });
    } finally {
      if (this.#open.get(id) === open) this.#open.delete(id);
    }
  }

  /** A runner that reads slowly is waited for: what it has not read is not piled up for it. */
  async #push(id: FrameId, given_up: AbortSignal, piece: Json): Promise<void> {
    given_up.throwIfAborted();
    if (!this.#open.has(id)) throw unwanted();
    const params: CallChunkParams = { id, chunk: piece };
    this.#peer.notify(chunk, params);
    if (this.#peer.congested) await this.#peer.room();
  }
}

function unwanted(): ApiError {
  return new ApiError('runtime_error', 'The caller wants no more of the answer.');
}

function runIdIn(params: Json | undefined): string | null {
  if (!isJsonObject(params)) return null;
  return typeof params.run_id === 'string' ? params.run_id : null;
}
