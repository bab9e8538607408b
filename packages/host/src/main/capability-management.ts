import { ToolPins } from '../capabilities/tools/mcp/tool-pins.ts';
import type { ApiRoute } from '../http/api-route.ts';
import { knowledgeRoutes } from '../http/routes/knowledge.ts';
import { modelRoutes } from '../http/routes/models.ts';
import { toolRoutes } from '../http/routes/tools.ts';
import { tellAct } from './admin-act.ts';
import type { HttpGround } from './http-ground.ts';
import { ManagedModels } from './model-desk.ts';
import { ManagedToolServers } from './tool-server-desk.ts';

/** What runs reach, as whoever runs the host manages it. */
export function capabilityManagement({ capabilities, live, store, clock, proxy }: HttpGround): ApiRoute[] {
  const trail = { audit: proxy.audit, now: () => clock.now() };
  const apply = () => capabilities.refresh();
  return [
    ...modelRoutes({
      models: new ManagedModels({
        ...trail,
        registry: capabilities.stored_models,
        shelf: capabilities.models,
        environment: live.current.environment,
        clock,
        apply,
      }),
    }),
    ...toolRoutes({
      servers: new ManagedToolServers({
        ...trail,
        registry: capabilities.stored_servers,
        shelf: capabilities.tools,
        pins: new ToolPins(store.registry),
        apply,
      }),
    }),
    ...knowledgeRoutes({
      knowledge: capabilities.documents,
      clock,
      artifact_bytes: () => live.config.limits.artifact_bytes,
      acted: (by, action, resource, details) => tellAct(trail, by, action, resource, details),
    }),
  ];
}
