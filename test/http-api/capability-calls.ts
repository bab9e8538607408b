import type { Calls } from './call.ts';

const ownModel = { provider: 'openai-compatible', model: 'm', base_url: 'http://127.0.0.1:9/v1', retries: 0 };
const modelId = 'walk/model';
const sleeping = { command: ['nothing'], enabled: false, env: { TOKEN: 'walked' } };

export const capabilityCalls: Calls = {
  createModel: () => [
    { status: 201, body: { id: modelId, config: { ...ownModel, api_key: 'walked' } } },
    { status: 409, body: { id: modelId, config: ownModel } },
    { status: 422, body: { id: 'walk2', config: { provider: 'nobody', model: 'm' } } },
  ],
  listModels: () => [{ status: 200 }],
  getModel: () => [
    { status: 200, path: { modelId } },
    { status: 404, path: { modelId: 'nothing' } },
  ],
  changeModel: () => [
    { status: 200, path: { modelId }, body: { config: { label: 'Walk' } } },
    { status: 412, path: { modelId }, body: { config: {} }, headers: { 'if-match': '"1"' } },
    { status: 422, path: { modelId }, body: { config: { base_url: 'http://127.0.0.1:10/v1' } } },
    { status: 404, path: { modelId: 'nothing' }, body: { config: {} } },
  ],
  testModel: () => [
    { status: 200, path: { modelId } },
    { status: 404, path: { modelId: 'nothing' } },
  ],
  deleteModel: () => [
    { status: 412, path: { modelId }, headers: { 'if-match': '"1"' } },
    { status: 204, path: { modelId }, headers: { 'if-match': '*' } },
    { status: 404, path: { modelId } },
  ],
  listTools: () => [{ status: 200 }],
  createToolServer: () => [
    { status: 201, body: { id: 'walk', config: sleeping } },
    { status: 409, body: { id: 'walk', config: sleeping } },
    { status: 422, body: { id: 'walk2', config: { command: 'nothing' } } },
  ],
  listToolServers: () => [{ status: 200 }],
  getToolServer: () => [
    { status: 200, path: { serverId: 'walk' } },
    { status: 404, path: { serverId: 'nothing' } },
  ],
  changeToolServer: () => [
    { status: 200, path: { serverId: 'walk' }, body: { config: { policy: 'allow' } } },
    { status: 412, path: { serverId: 'walk' }, body: { config: {} }, headers: { 'if-match': '"1"' } },
    { status: 422, path: { serverId: 'walk' }, body: { config: { policy: 'perhaps' } } },
  ],
  approveToolServer: () => [
    { status: 422, path: { serverId: 'walk' } },
    { status: 404, path: { serverId: 'nothing' } },
  ],
  deleteToolServer: () => [
    { status: 204, path: { serverId: 'walk' } },
    { status: 404, path: { serverId: 'walk' } },
  ],
};
