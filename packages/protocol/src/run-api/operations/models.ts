import { z } from 'zod';
import { ModelDetails, ModelItem, ModelPatch, ModelTrial, NewModel } from '../model-api.ts';
import { operation, pageOf } from '../operation.ts';

const tag = 'Models';
const revision = z.object({
  'if-match': z.string().max(128).optional().describe('The `ETag` that must still hold; 412 when it does not.'),
});

/** Models that agents may use. A `/` in an id is written `%2F` in a path. */
export const modelOperations = {
  listModels: operation({
    id: 'listModels',
    method: 'GET',
    path: '/api/v1/models',
    scope: 'admin',
    tag,
    summary: 'Models of the file, of the environment, and those made at run time',
    answers: { 200: pageOf(ModelItem) },
    refusals: [],
  }),
  createModel: operation({
    id: 'createModel',
    method: 'POST',
    path: '/api/v1/models',
    scope: 'admin',
    tag,
    summary: 'Makes a model',
    description:
      'New runs see it at once. An id of the configuration file is refused, and so is one that was made before; a model that was found in the environment is replaced.',
    body: NewModel,
    answers: { 201: ModelDetails },
    refusals: [409, 413, 415, 422],
  }),
  getModel: operation({
    id: 'getModel',
    method: 'GET',
    path: '/api/v1/models/{modelId}',
    scope: 'admin',
    tag,
    summary: 'One model as it is described',
    answers: { 200: ModelDetails },
    refusals: [404],
  }),
  changeModel: operation({
    id: 'changeModel',
    method: 'PATCH',
    path: '/api/v1/models/{modelId}',
    scope: 'admin',
    tag,
    summary: 'Changes a model that was made at run time',
    description:
      'A key is kept for the address that it was given for: whoever changes `provider` or `base_url` sends the key and the headers again.',
    headers: revision,
    body: ModelPatch,
    answers: { 200: ModelDetails },
    refusals: [404, 409, 412, 413, 415, 422],
  }),
  deleteModel: operation({
    id: 'deleteModel',
    method: 'DELETE',
    path: '/api/v1/models/{modelId}',
    scope: 'admin',
    tag,
    summary: 'Deletes a model that was made at run time, and its key',
    headers: revision,
    answers: { 204: null },
    refusals: [404, 409, 412, 422],
  }),
  testModel: operation({
    id: 'testModel',
    method: 'POST',
    path: '/api/v1/models/{modelId}/test',
    scope: 'admin',
    tag,
    summary: 'Makes one small call to a model and says how it went',
    description: 'A model that cannot be reached is an answer like any other: `ok` is false and `sentence` says why.',
    answers: { 200: ModelTrial },
    refusals: [404],
  }),
};
