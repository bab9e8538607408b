import { type Credit, charge } from '@rostra/kernel/run/credit';
import type { RunResultType } from '@rostra/protocol/runner/run-result';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { HeldLine, LiveRun } from './live-run.ts';
import type { EffectOutcome } from './result-effects.ts';
import { countOf, type PendingEffect } from './result-line.ts';

export interface EffectLineEvents {
  /** What the result did is done, or it is dropped. */
  done(live: LiveRun, type: RunResultType, outcome: EffectOutcome): void;
  /** Results that waited are due. */
  take(live: LiveRun, line: HeldLine): void;
}

/**
 * The results that do something before they are told.
 *
 * E1. While one of a run does so, later results of that run wait, in their order; other runs go on.
 * E2. Of a run that is over by then nothing is told (SR-INV-R3).
 */
export class EffectLine {
  readonly #events: EffectLineEvents;

  constructor(events: EffectLineEvents) {
    this.#events = events;
  }

  perform(live: LiveRun, { type, data, effect }: PendingEffect, rest: HeldLine): void {
    live.held = [rest];
    void effect(live, data)
      .catch(dropped)
      .then((outcome) => {
        const lines = live.held ?? [];
        live.held = null;
        if (live.over) return;
        this.#events.done(live, type, outcome);
        for (const line of lines) this.#next(live, line);
        if (!live.over && live.held === null) for (const act of live.later.splice(0)) act();
      });
  }

  /** One of those before it may have an effect of its own, for which the others wait again. */
  #next(live: LiveRun, line: HeldLine): void {
    if (live.over) return;
    if (live.held === null) this.#events.take(live, line);
    else live.held.push(line);
  }
}

/** What a run would owe if all that waits were taken. */
export function chargeHeld(credit: Credit, held: readonly HeldLine[]): Credit {
  let owed = credit;
  for (const { results, bytes } of held)
    owed = charge(owed, { results: countOf(results), bytes }, Number.POSITIVE_INFINITY);
  return owed;
}

/** An effect that is refused takes its result with it, not the run. */
function dropped(error: unknown): EffectOutcome {
  if (error instanceof ApiError) return { drop: error.message };
  throw error;
}
