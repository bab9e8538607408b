import { randomBytes } from 'node:crypto';
import { HostConfig } from '@rostra/protocol/config/host-config';
import { ModelShelf } from '../../src/capabilities/models/model-shelf.ts';
import type { SourcedModel } from '../../src/capabilities/models/model-source.ts';
import { ToolPins } from '../../src/capabilities/tools/mcp/tool-pins.ts';
import { modelRegistry } from '../../src/config/model-registry.ts';
import { SecretBox, type SecretKeySource } from '../../src/config/secret-box.ts';
import { toolServerRegistry } from '../../src/config/tool-server-registry.ts';
import { modelRoutes } from '../../src/http/routes/models.ts';
import { toolRoutes } from '../../src/http/routes/tools.ts';
import { HostLog } from '../../src/main/host-log.ts';
import { ManagedModels } from '../../src/main/model-desk.ts';
import { ManagedToolServers } from '../../src/main/tool-server-desk.ts';
import type { RegistryStore } from '../../src/store/ports/registry.ts';
import { bench } from '../capabilities/tools/shelf-bench.ts';
import { KEY, TestHost } from './test-host.ts';

/** Keys and headers that may be seen nowhere but on their way out. */
export const canary = 'sk-canary-41d7c0ffee-8812';

export interface DesksOptions {
  readonly config?: object;
  readonly detected?: Readonly<Record<string, SourcedModel>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly registry?: RegistryStore;
  readonly keys?: SecretKeySource;
}

export function someKey(bytes: Uint8Array = randomBytes(32)): SecretKeySource {
  return { where: 'secret.key', read: () => bytes, ensure: () => bytes };
}

/** A host that serves models and tool servers from real registries and shelves. */
export async function desks({
  config = {},
  detected = {},
  environment = {},
  registry,
  keys = someKey(),
}: DesksOptions) {
  const host = await TestHost.start();
  const { shelf, store, lines } = bench({});
  const rows = registry ?? store.registry;
  const logged: string[] = [];
  const log = new HostLog((line) => logged.push(line));
  const parsed = HostConfig.parse(config);
  const ground = { store: rows, box: new SecretBox(keys), config: () => parsed };
  const [models, servers] = [modelRegistry(ground), toolServerRegistry(ground)];
  const sourced = (all: object, source: 'file' | 'store') =>
    Object.fromEntries(Object.entries(all).map(([id, each]) => [id, { config: each, source }]));
  const sources = () => ({ ...detected, ...sourced(models.opened, 'store'), ...sourced(parsed.models, 'file') });
  const apply = async () => {
    log.conceal(...models.secrets, ...servers.secrets);
    shelf.apply(parsed.tools, servers.opened);
  };
  await Promise.all([models.refresh(), servers.refresh()]);
  await apply();
  const trail = { audit: { add: (entry: (typeof host.audit)[number]) => void host.audit.push(entry) }, now: () => 1 };
  host.more = [
    ...modelRoutes({
      models: new ManagedModels({
        ...trail,
        registry: models,
        shelf: new ModelShelf({ sources, environment, counter: { count: async () => 0 } }),
        environment,
        clock: host.clock,
        apply,
      }),
    }),
    ...toolRoutes({
      servers: new ManagedToolServers({ ...trail, registry: servers, shelf, pins: new ToolPins(rows), apply }),
    }),
  ];
  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return host.ask(method, `/api/v1${path}`, {
      key: KEY,
      headers: { 'content-type': 'application/json', ...headers },
      ...sent,
    });
  };
  return { host, ask, rows, log, logged, lines, shelf };
}
