import type { InteractionItem, InteractionPage, InteractionStatus } from '@rostra/protocol/run-api/interaction';
import { interactionOperations } from '@rostra/protocol/run-api/operations/interactions';
import type { JsonObject } from '@rostra/protocol/wire/json';
import type { Caller, CallOptions } from '../caller.ts';
import { eachOf } from '../pages.ts';

export interface InteractionQuery {
  status?: InteractionStatus;
  sessionId?: string;
  cursor?: string;
  limit?: number;
}

/** The inbox: what waits for a person. */
export class Interactions {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  list(query: InteractionQuery = {}, options: CallOptions = {}): Promise<InteractionPage> {
    return this.#caller.call(interactionOperations.listInteractions, { query, ...options });
  }

  /** All of them, page by page. */
  each(query: InteractionQuery = {}, options: CallOptions = {}): AsyncGenerator<InteractionItem, void> {
    return eachOf((page) => this.list({ ...query, ...page }, options));
  }

  get(interactionId: string, options: CallOptions = {}): Promise<InteractionItem> {
    return this.#caller.call(interactionOperations.getInteraction, { params: { interactionId }, ...options });
  }

  answer(interactionId: string, actionId: string, values: JsonObject = {}): Promise<InteractionItem> {
    const body = { actionId, values };
    return this.#caller.call(interactionOperations.answerInteraction, { params: { interactionId }, body });
  }
}
