import type { AnswerOf, Operation } from '@rostra/protocol/run-api/operation';
import { Caller, type CallerOptions, type Given } from './caller.ts';
import { Agents } from './resources/agents.ts';
import { Attachments } from './resources/attachments.ts';
import { History } from './resources/history.ts';
import { Host } from './resources/host.ts';
import { Interactions } from './resources/interactions.ts';
import { Keys } from './resources/keys.ts';
import { Knowledge } from './resources/knowledge.ts';
import { Models } from './resources/models.ts';
import { Runs } from './resources/runs.ts';
import { Sessions } from './resources/sessions.ts';
import { Tools } from './resources/tools.ts';
import { systemTiming, type Timing } from './timing.ts';

export interface RostraClientOptions extends CallerOptions {
  /** Tests bring a time of their own. */
  readonly timing?: Timing;
}

/** The run API of one host, as whoever the key or the cookie says. */
export class RostraClient {
  readonly runs: Runs;
  readonly sessions: Sessions;
  readonly history: History;
  readonly attachments: Attachments;
  readonly interactions: Interactions;
  readonly agents: Agents;
  readonly knowledge: Knowledge;
  readonly models: Models;
  readonly tools: Tools;
  readonly keys: Keys;
  readonly host: Host;
  readonly #caller: Caller;

  constructor({ timing = systemTiming, ...options }: RostraClientOptions = {}) {
    this.#caller = new Caller(options);
    this.runs = new Runs(this.#caller, timing);
    this.sessions = new Sessions(this.#caller, timing);
    this.history = new History(this.#caller);
    this.attachments = new Attachments(this.#caller);
    this.interactions = new Interactions(this.#caller);
    this.agents = new Agents(this.#caller);
    this.knowledge = new Knowledge(this.#caller);
    this.models = new Models(this.#caller);
    this.tools = new Tools(this.#caller);
    this.keys = new Keys(this.#caller);
    this.host = new Host(this.#caller);
  }

  /** Any operation of the API by its description. */
  call<O extends Operation>(operation: O, given: Given<O>): Promise<AnswerOf<O>> {
    return this.#caller.call(operation, given);
  }
}
