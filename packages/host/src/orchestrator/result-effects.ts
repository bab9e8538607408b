import type { RunResultType } from '@rostra/protocol/runner/run-result';
import type { JsonObject } from '@rostra/protocol/wire/json';
import type { ActiveRun } from './run-charter.ts';

/** `tell`: what the session hears instead of the runner's own words. `drop`: nothing; the run goes on, the log says why. */
export type EffectOutcome = { readonly tell: JsonObject } | { readonly drop: string };

/**
 * What a result does beside being told. It has happened before the session hears of the result, and the results after
 * it wait, so that whoever reads of it finds it done. `data` has passed the schema of its type.
 */
export type ResultEffect = (run: ActiveRun, data: JsonObject) => Promise<EffectOutcome>;

export type ResultEffects = Readonly<Partial<Record<RunResultType, ResultEffect>>>;
