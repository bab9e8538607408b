import type { InteractionOutcome } from '@rostra/protocol/api/interactions';
import type { CallOptions } from './api-caller.ts';
import type { RunApi } from './run-api.ts';
import type { Question } from './runner.ts';

/** Asks, and waits until the question is no longer open. */
export async function asked(
  api: RunApi,
  request: Question,
  options: Pick<CallOptions, 'signal'> = {},
): Promise<InteractionOutcome> {
  const outcome = await api.interactions.request({ request }, options);
  if (outcome.status !== 'open') return outcome;
  return await api.interactions.wait({ interaction_id: outcome.interaction_id }, options);
}
