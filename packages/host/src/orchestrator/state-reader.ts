import { emptySnapshot, type StateSnapshot } from '@rostra/kernel/state/state-snapshot';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { RunCharter } from './run-charter.ts';

/**
 * What a run finds in `ctx.state`: asked for only where a state scope is granted. A run that nothing is stored for
 * should get its answer at once, so that it need not wait.
 */
export type StateReader = (charter: RunCharter) => StateSnapshot | Promise<StateSnapshot>;

/** A store that cannot be read costs a run its snapshot, not its life: what it then asks for is refused. */
export function readState(
  reader: StateReader | undefined,
  charter: RunCharter,
): StateSnapshot | Promise<StateSnapshot> {
  if (reader === undefined || charter.grant.state_scopes.length === 0) return emptySnapshot;
  const state = reader(charter);
  if (!(state instanceof Promise)) return state;
  return state.catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    return emptySnapshot;
  });
}
