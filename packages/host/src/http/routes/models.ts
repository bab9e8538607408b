import type { ModelDetails, ModelItem, ModelPatch, ModelTrial, NewModel } from '@rostra/protocol/run-api/model-api';
import { modelOperations as operations } from '@rostra/protocol/run-api/operations/models';
import type { Principal } from '../../session/session-gateway.ts';
import { type ApiRoute, route } from '../api-route.ts';
import { type ExpectedRevision, etag, expectedOf } from '../revision.ts';

/** The models of the host as HTTP manages them. A refusal is an ApiError; no key ever comes back. */
export interface ModelDesk {
  list(): ModelItem[];
  get(model_id: string): ModelDetails;
  create(model: NewModel, by: Principal): Promise<ModelDetails>;
  change(model_id: string, patch: ModelPatch, expected: ExpectedRevision, by: Principal): Promise<ModelDetails>;
  remove(model_id: string, expected: ExpectedRevision, by: Principal): Promise<void>;
  /** One small call. */
  test(model_id: string, by: Principal): Promise<ModelTrial>;
}

export function modelRoutes({ models }: { models: ModelDesk }): ApiRoute[] {
  return [
    route(operations.listModels, async () => ({ status: 200, body: { items: models.list(), nextCursor: null } })),
    route(operations.createModel, async ({ principal, body }) => {
      const made = await models.create(body, principal);
      const location = `/api/v1/models/${encodeURIComponent(made.id)}`;
      return { status: 201, body: made, headers: { ...etag(made), Location: location } };
    }),
    route(operations.getModel, async ({ params }) => {
      const found = models.get(params.modelId);
      return { status: 200, body: found, headers: etag(found) };
    }),
    route(operations.changeModel, async ({ principal, params, body, req }) => {
      const expected = expectedOf(req.headers['if-match']);
      const changed = await models.change(params.modelId, body, expected, principal);
      return { status: 200, body: changed, headers: etag(changed) };
    }),
    route(operations.deleteModel, async ({ principal, params, req }) => {
      await models.remove(params.modelId, expectedOf(req.headers['if-match']), principal);
      return { status: 204, body: null };
    }),
    route(operations.testModel, async ({ principal, params }) => ({
      status: 200,
      body: await models.test(params.modelId, principal),
    })),
  ];
}
