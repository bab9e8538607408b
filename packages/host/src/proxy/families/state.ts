import type { Call } from '@rostra/kernel/grant/check-call';
import type { StateApi } from '@rostra/protocol/api/state';
import type { StateScope } from '@rostra/protocol/config/agent-config';
import type { ApiFamily } from '../api-family.ts';
import type { RunStates } from '../run-states.ts';

function asks({ scope }: { scope: StateScope }): Call {
  return { family: 'state', scope };
}

/** RP-7.23: small JSON values of the scopes that the run was granted. */
export function stateFamily(states: RunStates): ApiFamily<keyof typeof StateApi> {
  return {
    'state.get': {
      asks,
      serve: async ({ scope, key }, { charter }) => ({ value: await states.get(charter.grant, scope, key) }),
    },
    'state.set': {
      asks,
      async serve({ scope, key, value }, { charter }) {
        await states.set(charter.grant, scope, key, value);
        return { success: true };
      },
    },
    'state.delete': {
      asks,
      async serve({ scope, key }, { charter }) {
        await states.delete(charter.grant, scope, key);
        return { success: true };
      },
    },
    'state.list': {
      asks,
      serve: ({ scope, prefix, limit }, { charter }) =>
        states.list(charter.grant, scope, { prefix: prefix ?? '', limit }),
    },
  };
}
