import type { Call } from '@rostra/kernel/grant/check-call';
import type { StateApi } from '@rostra/protocol/api/state';
import type { StateScope } from '@rostra/protocol/config/agent-config';
import type { RunVoice } from '../../orchestrator/run-voice.ts';
import type { ApiFamily } from '../api-family.ts';
import type { RunStates } from '../run-states.ts';

function asks({ scope }: { scope: StateScope }): Call {
  return { family: 'state', scope };
}

/**
 * RP-7.23: small JSON values of the scopes that the run was granted. What a call changes stands in the log like what a
 * result changes: the session's past knows no difference.
 */
export function stateFamily(states: RunStates, voice: Pick<RunVoice, 'act'>): ApiFamily<keyof typeof StateApi> {
  return {
    'state.get': {
      asks,
      serve: async ({ scope, key }, { charter }) => ({ value: await states.get(charter.grant, scope, key) }),
    },
    'state.set': {
      asks,
      async serve({ scope, key, value }, { charter, run_id }) {
        voice.act(run_id, 'state.updated', { scope, ...(await states.set(charter.grant, scope, key, value)) });
        return { success: true };
      },
    },
    'state.delete': {
      asks,
      async serve({ scope, key }, { charter, run_id }) {
        voice.act(run_id, 'state.updated', { scope, ...(await states.set(charter.grant, scope, key, null)) });
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
