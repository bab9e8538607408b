import { checkCall, notFound } from '@rostra/kernel/grant/check-call';
import type { ModelsApi } from '@rostra/protocol/api/models';
import type { ModelOperation } from '@rostra/protocol/runner/resources';
import type { ArtifactRef } from '@rostra/protocol/session/input';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { CapabilityReason } from '@rostra/protocol/wire/reason';
import type { Model, ModelCall } from '../../capabilities/models/model.ts';
import type { ActiveRun } from '../../orchestrator/run-charter.ts';
import type { ArtifactStore } from '../../store/ports/artifact.ts';
import type { ApiFamily, ServedCall } from '../api-family.ts';
import { placeOf } from './artifacts.ts';

export interface ModelsOptions {
  readonly models: { find(model_id: string): Model | null };
  readonly artifacts: Pick<ArtifactStore, 'get' | 'read'>;
  readonly clock: { now(): number };
}

/** RP-7.7 to RP-7.10. The files that messages name are read as the run itself might read them. */
export function modelsFamily({ models, artifacts, clock }: ModelsOptions): ApiFamily<keyof typeof ModelsApi> {
  const asks =
    (operation: ModelOperation) =>
    ({ model_id }: { model_id: string }) => ({ family: 'models' as const, operation, model_id });
  const find = (model_id: string): Model => models.find(model_id) ?? gone(model_id);
  const bytes = async (run: ActiveRun, { artifact_id }: ArtifactRef): Promise<Uint8Array> => {
    const row = await artifacts.get(artifact_id, clock.now());
    const target = row === null ? null : placeOf(row);
    const refusal = checkCall(run.charter.grant, { family: 'artifacts', operation: 'read', target });
    if (refusal !== null) throw new ApiError(refusal.code, refusal.message, refusal);
    return await whole(artifacts, artifact_id, row?.size_bytes ?? 0, clock);
  };
  const called = (run: ActiveRun, { signal }: ServedCall): ModelCall => ({
    signal,
    run_id: run.run_id,
    bytes: (artifact) => bytes(run, artifact),
  });

  return {
    'models.invoke': {
      asks: asks('invoke'),
      serve: ({ model_id, ...request }, run, _push, call) => find(model_id).invoke(request, called(run, call)),
    },
    'models.stream': {
      asks: asks('stream'),
      serve: ({ model_id, ...request }, run, push, call) => find(model_id).stream(request, called(run, call), push),
    },
    'models.rerank': {
      asks: asks('rerank'),
      async serve({ model_id, query, documents, top_k = documents.length }, _run, _push, { signal }) {
        return { results: await find(model_id).rerank(query, documents, top_k, signal) };
      },
    },
    'models.count_tokens': {
      asks: asks('count_tokens'),
      async serve({ model_id, ...request }, run, _push, call) {
        return { tokens: await find(model_id).countTokens(request, called(run, call)) };
      },
    },
  };
}

/** The grant was frozen when the run began; what it names may have been taken away since. */
function gone(model_id: string): never {
  const reason: CapabilityReason = 'MODEL_NOT_FOUND';
  const hint = 'Use another model, or add it again.';
  throw new ApiError('not_found', `There is no model ${model_id} any more.`, { details: { reason, hint } });
}

async function whole(
  artifacts: ModelsOptions['artifacts'],
  artifact_id: string,
  size: number,
  clock: ModelsOptions['clock'],
): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  for (let offset = 0; offset < size; ) {
    const piece = await artifacts.read(artifact_id, { offset, length: limits.piece_bytes }, clock.now());
    if (piece === null || piece.byteLength === 0) throw lost();
    bytes.set(piece, offset);
    offset += piece.byteLength;
  }
  return bytes;
}

function lost(): ApiError {
  const { code, message } = notFound('artifact');
  return new ApiError(code, message);
}
