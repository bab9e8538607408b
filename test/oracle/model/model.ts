import type { RandomCall } from '../world/call.ts';
import type { ArtifactFact, Facts, RunFact } from '../world/facts.ts';
import { CursorBook } from './cursor-book.ts';
import type { Expected, Outcome, Params } from './expected.ts';
import { grantRules } from './grant-rules.ts';
import { Kept, pieceCheck, type Served } from './kept.ts';
import { paramFault } from './param-rules.ts';
import { RateModel } from './rate-model.ts';
import { isOwnConversation } from './reach.ts';
import { resourceOf, scopeOf } from './row-rules.ts';
import { eventsPage, historyPage, historySearch } from './said-rules.ts';

const REFUSALS = 20;
const DAY = 24 * 60 * 60 * 1000;

const saidRules: Readonly<Record<string, typeof historyPage>> = {
  'history.page': historyPage,
  'history.search': historySearch,
  'events.page': eventsPage,
};

export interface ModelWorld {
  readonly facts: Facts;
  /** Methods that this host serves; all others are granted to nobody. */
  readonly served: ReadonlySet<string>;
  /** Where calls are counted that name no run. */
  readonly workspace_id: string;
}

/**
 * What every call should have come to, recomputed from what the runs were granted and what there is. Written from the
 * specification: it shares no code with the gate, its families or the kernel's check of a call.
 */
export class Model {
  readonly cursors = new CursorBook();
  readonly #world: ModelWorld;
  readonly #kept = new Kept();
  readonly #rates = new RateModel();
  readonly #live = new Map<string, RunFact>();
  readonly #refusals = new Map<string, number>();
  /** Questions that were put, and in which turn. */
  readonly #questions = new Map<string, string>();
  /** Runs that asked too often for what was not theirs, in the order in which they did. */
  readonly failed: string[] = [];

  constructor(world: ModelWorld) {
    this.#world = world;
  }

  get questions(): readonly string[] {
    return [...this.#questions.keys()];
  }

  started(run: RunFact): void {
    this.#live.set(run.run_id, run);
  }

  ended(run_id: string): void {
    this.#live.delete(run_id);
    this.#kept.ended(run_id);
  }

  expect(call: RandomCall): Expected {
    const { method, connection } = call;
    const params = paramsOf(call);
    const named = typeof params.run_id === 'string' ? this.#live.get(params.run_id) : undefined;
    // A run of another package is nobody's.
    const run = named?.package === connection ? named : null;
    const { outcome, hasAsked, check } = this.#decide(call, params, run);
    if (run !== null && outcome === 'unauthorized') this.#count(run);
    return {
      outcome,
      check: (answer) => (check === undefined ? null : check(answer as Record<string, unknown>)),
      row: {
        workspace_id: run?.place.workspace_id ?? this.#world.workspace_id,
        actor: `runner:${run?.runner_id ?? connection}`,
        session_id: run?.place.conversation_id ?? null,
        run_id: run?.run_id ?? (typeof params.run_id === 'string' ? params.run_id.slice(0, 256) : null),
        runner_id: run?.runner_id ?? null,
        action: method,
        resource: resourceOf(method, params),
        scope: run !== null && hasAsked ? scopeOf(method, params, run) : null,
        result: outcome,
      },
    };
  }

  /** The order of the gate: run, params, what is served, grant and scope, deadline, rate; then the family. */
  #decide({ method, at }: RandomCall, params: Params, run: RunFact | null): Served & { readonly hasAsked: boolean } {
    if (run === null) return { outcome: 'unauthorized', hasAsked: false };
    const fault = paramFault(method, params);
    if (fault !== null) return { outcome: fault, hasAsked: false };
    const rule = grantRules[method];
    if (!this.#world.served.has(method) || rule === undefined) return { outcome: 'unauthorized', hasAsked: false };
    const allowed = rule(run, params, this.#world.facts, at);
    if (allowed !== 'ok') return { outcome: allowed, hasAsked: true };
    if (at >= run.deadline_at) return { outcome: 'deadline_exceeded', hasAsked: true };
    if (!this.#rates.take(run.run_id, at)) return { outcome: 'rate_limited', hasAsked: true };
    return { ...this.#serve(method, params, run), hasAsked: true };
  }

  #serve(method: string, params: Params, run: RunFact): Served {
    const kept = this.#kept.serve[method];
    if (kept !== undefined) return kept(run, params);
    const said = saidRules[method];
    if (said !== undefined) return said(run, params, { cursors: this.cursors, facts: this.#world.facts });
    if (method.startsWith('interactions.')) return this.#asked(method, params, run);
    const artifact = this.#world.facts.artifacts.find(({ artifact_id }) => artifact_id === params.artifact_id);
    if (artifact !== undefined) return artifactAnswer(method, params, artifact);
    if (method === 'runs.list' || method === 'runs.events_page') return this.#listed(method, params, run);
    if (method === 'runs.get' || method === 'runs.cancel') {
      return { outcome: 'ok', check: ({ run_id }) => (run_id === params.target_run_id ? null : 'it is another run') };
    }
    return { outcome: 'ok' };
  }

  /** A choice needs something to choose from, and no question stays open for more than a day. */
  #asked(method: string, params: Params, run: RunFact): Served {
    if (method !== 'interactions.request') {
      const turn_id = this.#questions.get(String(params.interaction_id));
      return { outcome: turn_id === run.turn_id ? 'ok' : 'not_found' };
    }
    const { kind, actions = [], expires_in = 1 } = params.request as Params;
    const isEmpty = kind === 'choice' && (actions as readonly unknown[]).length === 0;
    if (isEmpty || Number(expires_in) > DAY) return { outcome: 'invalid_argument' };
    return {
      outcome: 'ok',
      check: ({ interaction_id, status }) => {
        this.#questions.set(String(interaction_id), run.turn_id);
        return status === 'open' ? null : `the question is ${status}`;
      },
    };
  }

  #listed(method: string, params: Params, run: RunFact): Served {
    const about = method === 'runs.list' ? null : params.target_run_id;
    const list = CursorBook.listOf(method, run.place, about);
    if (!this.cursors.areGood(list, params.before_cursor, params.after_cursor)) return { outcome: 'invalid_argument' };
    return {
      outcome: 'ok',
      check: (answer) => {
        this.cursors.learn(list, answer);
        return method === 'runs.list' ? this.#runsCheck(params, run, answer) : null;
      },
    };
  }

  #runsCheck(params: Params, run: RunFact, { items }: Record<string, unknown>): string | null {
    const statuses = (params.statuses ?? []) as readonly string[];
    const isWanted = (status: string) => statuses.length === 0 || statuses.includes(status);
    const own = this.#world.facts.ledger.filter(
      ({ place, status }) => isOwnConversation(run, place) && isWanted(status),
    );
    const ids = (items as { run_id: string }[]).map(({ run_id }) => run_id);
    const foreign = ids.find((id) => !own.some(({ run_id }) => run_id === id));
    if (foreign !== undefined) return `${foreign} is none of the conversation`;
    const most = Math.min(100, Number(params.limit ?? 50));
    const isWhole = params.before_cursor === undefined || params.before_cursor === null;
    return isWhole && ids.length !== Math.min(most, own.length)
      ? `${ids.length} of ${own.length} runs are listed`
      : null;
  }

  #count(run: RunFact): void {
    const count = (this.#refusals.get(run.run_id) ?? 0) + 1;
    this.#refusals.set(run.run_id, count);
    if (count !== REFUSALS) return;
    this.failed.push(run.run_id);
    this.ended(run.run_id);
  }
}

function paramsOf({ params }: RandomCall): Params {
  return typeof params === 'object' && params !== null && !Array.isArray(params) ? params : {};
}

function artifactAnswer(method: string, params: Params, { bytes }: ArtifactFact): Served {
  const outcome: Outcome = 'ok';
  if (method === 'artifacts.read_range') {
    return { outcome, check: pieceCheck(bytes, Number(params.offset ?? 0), Number(params.length ?? 65_536)) };
  }
  return { outcome, check: ({ size_bytes }) => (size_bytes === bytes.length ? null : `it has ${size_bytes} bytes`) };
}
