const CALLS = 50;
/** What one call costs, and what is regained in one millisecond is one: 50 calls in a second. */
const COST = 1000 / CALLS;

/** RP-7.6 in the model's own words: a run may make 50 calls at once, and gets one back every 20 ms. */
export class RateModel {
  readonly #spent = new Map<string, { cost: number; at: number }>();

  /** Whether a call at this time may be made; if so it is counted. */
  take(run_id: string, at: number): boolean {
    const before = this.#spent.get(run_id) ?? { cost: 0, at };
    const cost = Math.max(0, before.cost - (at - before.at));
    const mayPass = cost + COST <= CALLS * COST;
    this.#spent.set(run_id, { cost: mayPass ? cost + COST : cost, at });
    return mayPass;
  }
}
