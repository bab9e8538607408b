import type { ApiRoute } from '../http/api-route.ts';
import { attachmentRoutes } from '../http/routes/attachments.ts';
import { capabilityRoutes } from '../http/routes/capabilities.ts';
import { copilotRoutes } from '../http/routes/copilotkit.ts';
import { interactionRoutes } from '../http/routes/interactions.ts';
import { keyRoutes } from '../http/routes/keys.ts';
import { loginRoutes } from '../http/routes/login.ts';
import { runControlRoutes } from '../http/routes/run-control.ts';
import { sessionEventRoutes } from '../http/routes/session-events.ts';
import { toolResultRoutes } from '../http/routes/tool-results.ts';
import { Inbox } from '../interactions/inbox.ts';
import { capabilityManagement } from './capability-management.ts';
import { conversationSide, taskReader } from './conversation-side.ts';
import type { HttpGround } from './http-ground.ts';
import type { HttpParts } from './http-parts.ts';
import { managementSide } from './management-side.ts';

/** Every route beside the hot ones. This file and all that only it needs are loaded by the first request for one. */
export function apiRoutes(ground: HttpGround, parts: HttpParts): ApiRoute[] {
  const { gateway, bus, clock, store, access, settings } = ground;
  const { http } = parts;
  const { access: who, acted } = access;
  const tasks = taskReader(ground);
  return [
    ...capabilityRoutes(parts),
    ...copilotRoutes({ gateway, status: parts.status }),
    ...sessionEventRoutes({ gateway, hub: http.hub }),
    ...keyRoutes({ access: who, acted }),
    ...loginRoutes({ access: who, public_url: settings.public_url, acted }),
    ...conversationSide(ground, parts),
    ...attachmentRoutes({
      attachments: parts.attachments,
      clock,
      artifact_bytes: () => ground.live.config.limits.artifact_bytes,
    }),
    ...runControlRoutes({
      gateway,
      bus,
      clock,
      whenGone: (session_id, listener) => http.hub.whenGone(session_id, listener),
      describe: (turn) => tasks.describe(turn),
    }),
    ...toolResultRoutes({ gateway, continued: parts.intake.continued, describe: (turn) => tasks.describe(turn) }),
    ...managementSide(ground, parts),
    ...capabilityManagement(ground),
    ...interactionRoutes({ inbox: new Inbox({ store, gateway, now: () => clock.now() }) }),
  ];
}
