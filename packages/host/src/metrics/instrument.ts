/** The values of one name at this moment, as lines of the Prometheus text format. */
export interface Instrument {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  samples(): readonly Sample[];
}

export interface Sample {
  /** What is added to the name: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** Only rises; one value for each value of its label. */
export class Counter implements Instrument {
  readonly type = 'counter';
  readonly name: string;
  readonly help: string;
  readonly #label: string | null;
  readonly #values = new Map<string, number>();

  /** `known` values of the label are shown from the start, so that a rate has something to begin with. */
  constructor(name: string, help: string, label: string | null = null, known: readonly string[] = ['']) {
    this.name = name;
    this.help = help;
    this.#label = label;
    for (const value of known) this.#values.set(value, 0);
  }

  add(value = '', amount = 1): void {
    this.#values.set(value, (this.#values.get(value) ?? 0) + amount);
  }

  samples(): Sample[] {
    const label = this.#label;
    return [...this.#values].map(([key, value]) => (label === null ? { value } : { labels: { [label]: key }, value }));
  }
}

/** How often a duration fell below each of some bounds, in seconds. */
export class Histogram implements Instrument {
  readonly type = 'histogram';
  readonly name: string;
  readonly help: string;
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.name = name;
    this.help = help;
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  observe(seconds: number): void {
    this.#sum += seconds;
    this.#count += 1;
    const index = this.#bounds.findIndex((bound) => seconds <= bound);
    if (index >= 0) this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  samples(): Sample[] {
    let below = 0;
    const buckets = this.#bounds.map((le, index): Sample => {
      below += this.#counts[index] ?? 0;
      return { suffix: '_bucket', labels: { le }, value: below };
    });
    return [
      ...buckets,
      { suffix: '_bucket', labels: { le: '+Inf' }, value: this.#count },
      { suffix: '_sum', value: this.#sum },
      { suffix: '_count', value: this.#count },
    ];
  }
}

/** Read when somebody asks, from whoever knows. */
export function reading(
  type: 'counter' | 'gauge' | 'summary',
  name: string,
  help: string,
  read: () => number | readonly Sample[],
): Instrument {
  return {
    type,
    name,
    help,
    samples() {
      const value = read();
      return typeof value === 'number' ? [{ value }] : value;
    },
  };
}
