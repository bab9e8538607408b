import type { PlatformActions } from '../../interactions/platform-actions.ts';
import type { RunVoice } from '../../orchestrator/run-voice.ts';
import type { ApiFamily } from '../api-family.ts';

export interface PlatformDeps {
  readonly actions: Pick<PlatformActions, 'request'>;
  readonly voice: Pick<RunVoice, 'act'>;
  /** Failures of what goes on after the answer. */
  readonly report: (failure: unknown) => void;
}

/** Requests an action by the same way as the result `action.requested`; only that the caller learns what came of it. */
export function platformFamily({ actions, voice, report }: PlatformDeps): ApiFamily<'platform.request_action'> {
  return {
    'platform.request_action': {
      asks: ({ action }) => ({ family: 'platform_api', action }),
      async serve({ action, target, payload }, run) {
        const requested = { action, target, payload };
        const { asked, done } = await actions.request(run, requested);
        const told = done.then((outcome) => {
          voice.act(run.run_id, 'action.requested', { ...requested, outcome: { ...outcome } });
          return outcome;
        });
        if (asked === null) return told;
        told.catch(report);
        return { status: 'pending', interaction_id: asked, result: null };
      },
    },
  };
}
