import { type Call, checkCall } from '@rostra/kernel/grant/check-call';
import { RunResultData } from '@rostra/protocol/runner/run-result';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { type Json, type JsonObject, jsonObjectOf } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { utf8Length } from '@rostra/protocol/wire/utf8-length';
import type { EffectOutcome, ResultEffect } from '../orchestrator/result-effects.ts';
import type { ActiveRun } from '../orchestrator/run-charter.ts';
import type { ActionTrail } from './action-trail.ts';
import { canAsk } from './asking-surface.ts';
import type { InteractionDesk } from './interaction-desk.ts';
import { type PlatformActions, unsupported } from './platform-actions.ts';
import type { RequestedAction } from './platform-surface.ts';

export interface ActionEffectOptions {
  readonly desk: Pick<InteractionDesk, 'plan' | 'expect'>;
  readonly actions: Pick<PlatformActions, 'request' | 'offers'>;
  readonly trail: ActionTrail;
}

/**
 * `action.requested`: a question to a person, a handover, or an action of the platform. The run's grant and the agent's
 * policy decide; where it is shown and who may answer is the run's own delivery, whatever the result says of a target.
 */
export function actionRequested(options: ActionEffectOptions): ResultEffect {
  const asked = new WeakMap<ActiveRun, number>();
  return async (run, data): Promise<EffectOutcome> => {
    const parsed = RunResultData['action.requested'].safeParse(data);
    if (!parsed.success) return { drop: 'It names no action.' };
    const { action, target, payload, usage } = parsed.data;
    const count = (asked.get(run) ?? 0) + 1;
    asked.set(run, count);
    if (count > limits.run_actions) {
      // The log keeps each, also what is refused there, and so does the audit: no run can fill them.
      if (count === limits.run_actions + 1) options.trail.add(run, action, 'rate_limited');
      return { drop: `A run requests at most ${limits.run_actions} actions by results.` };
    }
    const requested = { action, target: jsonObjectOf(target), payload: jsonObjectOf(payload) };
    try {
      const tell = await perform(options, run, requested);
      options.trail.add(run, action, 'ok');
      return { tell: { ...tell, ...(usage !== undefined && { usage }) } };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      options.trail.add(run, action, error.code);
      return { drop: error.message };
    }
  };
}

async function perform(options: ActionEffectOptions, run: ActiveRun, requested: RequestedAction): Promise<JsonObject> {
  if (requested.action === 'interaction.requested') return question(options, run, requested);
  if (requested.action === 'session.handover') return handover(run, requested);
  // What no entry can do is refused to nobody: it ends as that.
  if (!options.actions.offers(requested.action)) return { ...requested, outcome: { ...unsupported } };
  allow(run, { family: 'platform_api', action: requested.action });
  const outcome = await (await options.actions.request(run, requested)).done;
  return { ...requested, outcome: { ...outcome } };
}

/** A question that nobody could be shown is said in words instead, for which the runner gave the fallback. */
function question({ desk }: ActionEffectOptions, run: ActiveRun, { action, payload }: RequestedAction): JsonObject {
  // Some write the question into the payload itself, some beside other things.
  const { request, planned } = plan(desk, payload);
  allow(run, { family: 'interactions', kind: request.kind });
  if (!canAsk(run)) return { action, payload: { fallback_text: request.fallback_text || request.title } };
  const { expires_in, ...asked } = desk.expect(run, 'question', planned);
  return { action, payload: { ...asked, ...(expires_in !== undefined && { expires_in }) } };
}

function plan(desk: ActionEffectOptions['desk'], payload: JsonObject) {
  const { interaction_id: _, request = payload, expires_in = null } = payload;
  const asked = request === payload || expires_in === null ? request : { ...jsonObjectOf(request), expires_in };
  const planned = desk.plan(asked);
  return { planned, request: planned.request };
}

function handover(run: ActiveRun, { action, target, payload }: RequestedAction): JsonObject {
  const { agent_id } = target;
  if (typeof agent_id !== 'string' || agent_id === '') {
    throw new ApiError('invalid_argument', 'A handover names the agent that it goes to.');
  }
  const { handover_to } = run.charter.grant;
  if (handover_to !== null && !handover_to.includes(agent_id)) {
    throw new ApiError('unauthorized', 'This run was not granted a handover to that agent.');
  }
  return { action, target: { agent_id }, payload: { reason: words(payload.reason), summary: words(payload.summary) } };
}

function words(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new ApiError('invalid_argument', 'Reason and summary of a handover are texts.');
  if (utf8Length(value) <= limits.handover_text_bytes) return value;
  const most = `${limits.handover_text_bytes} bytes`;
  throw new ApiError('payload_too_large', `Reason and summary of a handover have at most ${most} each.`);
}

function allow(run: ActiveRun, call: Call): void {
  const refusal = checkCall(run.charter.grant, call);
  if (refusal !== null) throw new ApiError(refusal.code, refusal.message, refusal);
}
