import type { HostOffers } from '@rostra/kernel/grant/grant-terms';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { mix, Prng } from '../simulation/world/prng.ts';
import type { ExpectedRow, Outcome } from './model/expected.ts';
import { Model } from './model/model.ts';
import type { RandomCall } from './world/call.ts';
import type { Facts, RunFact } from './world/facts.ts';
import { RandomCalls } from './world/random-calls.ts';
import { randomFacts, randomRun, WORKSPACE } from './world/random-facts.ts';
import { CallClock, Stage } from './world/stage.ts';

const START = 1_700_000_000_000;
const LIVE = 8;
/** Calls in one world: then another one begins. */
export const TRIAL = 1000;

export interface Disagreement {
  readonly trial: number;
  readonly call: RandomCall;
  readonly what: string;
}

export interface TrialReport {
  calls: number;
  /** How often each outcome was foretold, by method. */
  outcomes: Record<string, number>;
  failed_runs: number;
  disagreements: Disagreement[];
}

/** What the host of a trial has to give: all that any family could serve. */
export const offers: HostOffers = {
  models: [],
  tools: [],
  knowledge_bases: [],
  apis: [
    'history_page',
    'history_search',
    'event_get',
    'event_page',
    'artifact_metadata',
    'artifact_read',
    'state',
    'storage',
    'prompt_get',
    'steering_pull',
    'run_get',
    'run_list',
    'run_events_page',
    'run_cancel',
  ],
  platform_api: ['message.edit', 'message.delete'],
};

/** One world, and calls in it: each is foretold by the model, made of the host, and compared. */
export class Trial {
  readonly #number: number;
  readonly #prng: Prng;
  readonly #facts: Facts;
  readonly #model: Model;
  readonly #stage: Stage;
  readonly #live: RunFact[] = [];
  readonly #ended: string[] = [];
  readonly #expected: { call: RandomCall; row: ExpectedRow }[] = [];
  readonly #report: TrialReport = { calls: 0, outcomes: {}, failed_runs: 0, disagreements: [] };
  #runs = 0;

  static async run(seed: number, number: number, calls: number): Promise<TrialReport> {
    const prng = new Prng(mix(mix(seed) ^ mix(number * 2 + 1)));
    const facts = randomFacts(prng, START);
    const stage = await Stage.open(facts, new CallClock(START));
    const model = new Model({ facts, served: stage.served, workspace_id: WORKSPACE });
    try {
      return await new Trial(number, prng, { facts, model, stage }).#run(calls);
    } finally {
      stage.close();
    }
  }

  private constructor(
    number: number,
    prng: Prng,
    { facts, model, stage }: { facts: Facts; model: Model; stage: Stage },
  ) {
    this.#facts = facts;
    this.#number = number;
    this.#prng = prng;
    this.#model = model;
    this.#stage = stage;
  }

  async #run(calls: number): Promise<TrialReport> {
    const random = new RandomCalls(this.#prng, START);
    for (let index = 0; index < calls && this.#report.disagreements.length === 0; index += 1) {
      this.#turnover(random.at);
      const sources = {
        live: this.#live,
        ended: this.#ended,
        cursors: this.#model.cursors.given,
        questions: this.#model.questions,
      };
      await this.#make(random.next(sources));
    }
    await this.#compareRows();
    this.#report.failed_runs = this.#model.failed.length;
    return this.#report;
  }

  /** Runs end and begin all the time. */
  #turnover(at: number): void {
    const prng = this.#prng;
    for (const run of [...this.#live]) {
      // Some stay after their deadline: that alone refuses them.
      if (prng.chance(at > run.deadline_at ? 0.02 : 0.0005)) this.#end(run.run_id);
    }
    while (this.#live.length < LIVE) {
      this.#runs += 1;
      const run = randomRun(prng, this.#runs, at, offers);
      this.#live.push(run);
      this.#facts.ledger.push({ run_id: run.run_id, agent_id: run.agent_id, place: run.place, status: 'running' });
      this.#model.started(run);
      this.#stage.start(run);
    }
  }

  #end(run_id: string): void {
    const index = this.#live.findIndex((run) => run.run_id === run_id);
    if (index >= 0) this.#live.splice(index, 1);
    this.#ended.push(run_id);
    this.#model.ended(run_id);
    this.#stage.end(run_id);
  }

  async #make(call: RandomCall): Promise<void> {
    const { outcome, row, check } = this.#model.expect(call);
    const made = await this.#stage.call(call);
    this.#report.calls += 1;
    const counted = `${call.method} ${outcome}`;
    this.#report.outcomes[counted] = (this.#report.outcomes[counted] ?? 0) + 1;
    const came = 'error' in made ? codeOf(made.error) : 'ok';
    if (came !== outcome) this.#disagree(call, `the model says ${outcome}, the host ${came}${wordsOf(made)}`);
    else if ('answer' in made) {
      const wrong = check(made.answer);
      if (wrong !== null) this.#disagree(call, wrong);
    }
    this.#expected.push({ call, row });
    const failed = this.#model.failed.at(-1);
    if (failed !== undefined && this.#live.some(({ run_id }) => run_id === failed)) this.#end(failed);
    if (failed !== this.#stage.failed.at(-1)) this.#disagree(call, `${failed} must be failed, the host failed another`);
  }

  /** One row per call, in the order of the calls, with the word that its caller got. */
  async #compareRows(): Promise<void> {
    const written = (await this.#stage.rows(WORKSPACE)).filter(({ action }) => !action.startsWith('steering.inj'));
    if (this.#report.disagreements.length > 0) return;
    for (const [index, { call, row }] of this.#expected.entries()) {
      const found = written[index];
      const names = Object.keys(row) as (keyof ExpectedRow)[];
      const wrong = names.find((name) => found?.[name] !== row[name]);
      if (wrong === undefined) continue;
      this.#disagree(call, `the audit says ${wrong} ${found?.[wrong]}, the model ${row[wrong]}`);
      return;
    }
    const [last] = this.#expected.slice(-1);
    if (written.length !== this.#expected.length && last !== undefined) {
      this.#disagree(last.call, `${this.#expected.length} calls have ${written.length} rows`);
    }
  }

  #disagree(call: RandomCall, what: string): void {
    this.#report.disagreements.push({ trial: this.#number, call, what });
  }
}

function codeOf(error: unknown): Outcome {
  // What is no refusal is a fault of the host, and its caller is told so.
  return error instanceof ApiError ? error.code : 'runtime_error';
}

function wordsOf(made: { answer: unknown } | { error: unknown }): string {
  if (!('error' in made)) return '';
  const { error } = made;
  if (error instanceof ApiError) return ` (${error.message})`;
  return ` (${error instanceof Error ? error.stack : String(error)})`;
}
