import type { ApiMethodName } from '@rostra/protocol/api/api-methods';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import type { Prng } from '../../simulation/world/prng.ts';
import type { CallSources, RandomCall } from './call.ts';
import { packages } from './random-facts.ts';
import { flawed } from './random-flaws.ts';
import { randomParams } from './random-params.ts';

/** How often each is called, of the methods that are asked for most. */
const weights: Readonly<Partial<Record<ApiMethodName, number>>> = {
  'models.invoke': 1,
  'models.stream': 1,
  'models.rerank': 1,
  'models.count_tokens': 1,
  'tools.get_detail': 1,
  'tools.call': 1,
  'knowledge.list': 1,
  'knowledge.retrieve': 1,
  'history.page': 10,
  'history.search': 5,
  'events.get': 6,
  'events.page': 6,
  'artifacts.metadata': 8,
  'artifacts.read_range': 8,
  'artifacts.open_stream': 2,
  'artifacts.write': 3,
  'state.get': 10,
  'state.set': 10,
  'state.delete': 4,
  'state.list': 4,
  'storage.get': 7,
  'storage.set': 6,
  'storage.write': 2,
  'storage.delete': 3,
  'storage.list': 4,
  'steering.pull': 3,
  'prompt.get': 3,
  'interactions.request': 4,
  'interactions.get': 4,
  'interactions.wait': 1,
  'platform.request_action': 4,
  'runs.get': 7,
  'runs.list': 7,
  'runs.events_page': 5,
  'runs.cancel': 3,
};

const BURST = 70;

/** Calls of all kinds: mostly of live runs and mostly well-formed, in bursts at times, at rising instants. */
export class RandomCalls {
  readonly #prng: Prng;
  #at: number;
  #burst = { left: 0, run: '' };

  constructor(prng: Prng, at: number) {
    this.#prng = prng;
    this.#at = at;
  }

  get at(): number {
    return this.#at;
  }

  next(sources: CallSources): RandomCall {
    const burst = this.#inBurst(sources);
    if (burst !== null) return burst;
    const prng = this.#prng;
    this.#at += prng.chance(0.01) ? prng.between(500, 4000) : prng.below(60);
    const connection = prng.pick(packages);
    const method = prng.weighted(weights) as ApiMethodName;
    const run_id = this.#runId(connection, sources);
    const about = { ...randomParams(prng, method, sources), ...(run_id === undefined ? {} : { run_id }) };
    const params = prng.chance(0.08) ? flawed(prng, method, about) : about;
    return { connection, method, params, at: this.#at };
  }

  /** More calls at one instant than a run may make. */
  #inBurst({ live }: CallSources): RandomCall | null {
    const prng = this.#prng;
    if (this.#burst.left === 0 && live.length > 0 && prng.chance(0.002)) {
      this.#burst = { left: prng.between(BURST / 2, BURST), run: prng.pick(live).run_id };
    }
    const run = live.find(({ run_id }) => run_id === this.#burst.run);
    if (this.#burst.left === 0 || run === undefined) {
      this.#burst.left = 0;
      return null;
    }
    this.#burst.left -= 1;
    this.#at += prng.chance(0.1) ? prng.below(20) : 0;
    const params: JsonObject = { run_id: run.run_id, scope: prng.pick(['conversation', 'runner']), key: 'k1' };
    return { connection: run.package, method: 'state.get', params, at: this.#at };
  }

  #runId(connection: string, { live, ended }: CallSources): Json | undefined {
    const prng = this.#prng;
    const own = live.filter((run) => run.package === connection);
    const foreign = live.filter((run) => run.package !== connection);
    switch (prng.weighted({ own: 90, foreign: 4, ended: 2, unknown: 1, absent: 1, odd: 1 })) {
      case 'own':
        return own.length === 0 ? 'turn-0.1' : prng.pick(own).run_id;
      case 'foreign':
        return foreign.length === 0 ? 'turn-0.1' : prng.pick(foreign).run_id;
      case 'ended':
        return ended.length === 0 ? 'turn-0.1' : prng.pick(ended);
      case 'unknown':
        return 'turn-0.1';
      case 'absent':
        return undefined;
      case 'odd':
        return prng.pick([null, 7, '', ['turn-1.1'], { run_id: 'turn-1.1' }]);
    }
  }
}
