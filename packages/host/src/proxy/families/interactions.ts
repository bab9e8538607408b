import type { InteractionsApi } from '@rostra/protocol/api/interactions';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { canAsk } from '../../interactions/asking-surface.ts';
import type { InteractionDesk } from '../../interactions/interaction-desk.ts';
import type { ApiFamily } from '../api-family.ts';

export interface InteractionsDeps {
  readonly desk: Pick<InteractionDesk, 'plan' | 'put' | 'outcome' | 'wait'>;
  readonly newId: () => string;
}

/** A run that must have the answer asks here. What it may look at is what its own turn has asked. */
export function interactionsFamily({ desk, newId }: InteractionsDeps): ApiFamily<keyof typeof InteractionsApi> {
  return {
    'interactions.request': {
      asks: ({ request }) => ({ family: 'interactions', kind: request.kind }),
      async serve({ request }, run) {
        const planned = desk.plan(request);
        if (canAsk(run)) return desk.put(run, 'question', planned);
        return { interaction_id: newId(), status: 'delivery_failed', action: null, values: {} };
      },
    },
    'interactions.get': {
      asks: () => ({ family: 'interactions', kind: null }),
      serve: ({ interaction_id }, run) => desk.outcome(run, interaction_id),
    },
    'interactions.wait': {
      asks: () => ({ family: 'interactions', kind: null }),
      async serve({ interaction_id }, run) {
        const outcome = await desk.wait(run, interaction_id);
        if (run.signal.aborted) throw new ApiError('unauthorized', 'The run is over.');
        return outcome;
      },
    },
  };
}
