import type { ModelTrial } from '@rostra/protocol/run-api/model-api';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { CapabilityReason } from '@rostra/protocol/wire/reason';
import type { Model, ModelCall } from '../capabilities/models/model.ts';
import type { ModelClock } from '../capabilities/models/model-clock.ts';

/** As little as every provider takes. */
const TOKENS = 16;

/** Makes one small call to a model, of the kind that it is for. Whatever the provider refuses is an answer, too. */
export async function tryModel(model: Model, clock: ModelClock): Promise<ModelTrial> {
  const controller = new AbortController();
  const begun = clock.now();
  const callOff = clock.at(begun + limits.model_trial, () => controller.abort());
  const spent = () => Math.max(0, Math.round(clock.now() - begun));
  try {
    await callOnce(model, controller.signal);
    const latencyMs = spent();
    return {
      ok: true,
      latencyMs,
      sentence: `${model.model_id} answered in ${latencyMs} ms.`,
      reason: null,
      hint: null,
    };
  } catch (error) {
    if (controller.signal.aborted) return failedTrial(spent(), lateAnswer(model.model_id));
    if (error instanceof ApiError) return failedTrial(spent(), error);
    throw error;
  } finally {
    callOff();
  }
}

export function failedTrial(latencyMs: number, { message, details: { reason, hint } }: ApiError): ModelTrial {
  return {
    ok: false,
    latencyMs,
    sentence: message,
    reason: CapabilityReason.safeParse(reason).data ?? null,
    hint: typeof hint === 'string' ? hint : null,
  };
}

async function callOnce(model: Model, signal: AbortSignal): Promise<void> {
  const { kind } = model.config;
  if (kind === 'embedding') await model.embed(['Hello'], signal);
  else if (kind === 'rerank') await model.rerank('Hello', ['Hello', 'Goodbye'], 1, signal);
  else {
    const bytes: ModelCall['bytes'] = () => Promise.reject(new Error('a trial sends no files'));
    const messages = [{ role: 'user' as const, content: 'Answer with the word: ready' }];
    await model.invoke({ messages, tools: [], extra_args: { max_output_tokens: TOKENS } }, { signal, bytes });
  }
}

function lateAnswer(model_id: string): ApiError {
  const reason: CapabilityReason = 'MODEL_TIMEOUT';
  return new ApiError('deadline_exceeded', `${model_id} did not answer within ${limits.model_trial / 1000} s.`, {
    details: { reason, hint: 'Check its base_url, and whether its server is up.' },
  });
}
