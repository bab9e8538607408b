import { checkCall } from '@rostra/kernel/grant/check-call';
import { StateScope } from '@rostra/protocol/config/agent-config';
import { RunResultData } from '@rostra/protocol/runner/run-result';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { EffectOutcome, ResultEffect } from '../../orchestrator/result-effects.ts';
import type { RunStates } from '../run-states.ts';

/**
 * `state.updated` is `state.set` by another way (RP-6.8, RP-6.9): the same grant, the same check, the same place. What
 * is refused changes nothing and is not told; the run goes on.
 */
export function stateUpdated(states: RunStates): ResultEffect {
  return async (run, data): Promise<EffectOutcome> => {
    const update = RunResultData['state.updated'].safeParse(data);
    const scope = StateScope.safeParse(update.data?.scope);
    if (!update.success || !scope.success) return { drop: 'It names no scope of state.' };
    const { grant } = run.charter;
    const refusal = checkCall(grant, { family: 'state', scope: scope.data });
    if (refusal !== null) return { drop: refusal.message };
    // A run that is over changes nothing any more.
    if (run.signal.aborted) return { drop: 'The run is over.' };
    try {
      const { key, value } = await states.set(grant, scope.data, update.data.key, update.data.value);
      return { tell: { scope: scope.data, key, value } };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { drop: error.message };
    }
  };
}
