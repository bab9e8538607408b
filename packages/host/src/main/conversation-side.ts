import { FrontendMessage } from '@rostra/protocol/run-api/session-api';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { schemaFault } from '@rostra/protocol/wire/schema-fault';
import type { ApiRoute } from '../http/api-route.ts';
import { originOf } from '../http/request-origin.ts';
import { historyRoutes } from '../http/routes/history.ts';
import { runStatusRoutes } from '../http/routes/run-status.ts';
import { checkDraining } from '../http/routes/runs.ts';
import { searchRoutes } from '../http/routes/search.ts';
import { sessionRoutes } from '../http/routes/sessions.ts';
import { transcriptRoutes } from '../http/routes/transcript.ts';
import { waitRoutes } from '../http/routes/wait.ts';
import { streamAccess } from '../http/sse/stream-access.ts';
import { TaskReader } from '../http/task-reader.ts';
import { newId } from '../new-id.ts';
import { SessionPast } from '../projection/session-past.ts';
import type { AgentWords } from '../projection/session-view.ts';
import { SessionDesk } from '../session/session-desk.ts';
import type { Principal } from '../session/session-gateway.ts';
import type { HttpGround } from './http-ground.ts';
import type { HttpParts } from './http-parts.ts';

function deskOf({ runtime, gateway, store, bus, clock, agents, keeping }: HttpGround): SessionDesk {
  const ids = () => agents.catalog.list().map(({ agent_id }) => agent_id);
  return new SessionDesk({
    runtime,
    gateway,
    store,
    bus,
    clock,
    newId,
    agents: ids,
    purge: () => keeping.purge(),
  });
}

/** How tasks are told, wherever one is. */
export function taskReader({ store, live, runtime }: HttpGround): TaskReader {
  return new TaskReader({
    runs: store.runs,
    prices: () => live.config.prices,
    firstOutput: ({ session_id, turn_id }) =>
      runtime.driver(session_id)?.context.inflight[turn_id]?.first_output_at ?? null,
  });
}

async function checkInput({ isDraining, access }: HttpGround, principal: Principal): Promise<void> {
  checkDraining(isDraining());
  await access.access.checkRun(principal);
}

/** A message that came over a socket, which no operation has checked. */
export async function sendMessage(
  ground: HttpGround,
  session_id: string,
  message: JsonObject,
  principal: Principal,
): Promise<JsonObject> {
  const { success, data, error } = FrontendMessage.safeParse(message);
  if (!success) {
    const { path, sentence } = schemaFault(error, 'the message');
    throw new ApiError('invalid_argument', sentence, { details: { path } });
  }
  if (data.event === 'USER_INPUT') await checkInput(ground, principal);
  return deskOf(ground).send(session_id, principal, data);
}

/** Names of agents as people know them, and what their runners say of themselves. */
function wordsOf({ agents }: HttpGround): AgentWords {
  return (agent_id) => {
    const agent = agents.catalog.find(agent_id);
    if (agent === null) return null;
    const manifest = agents.runners.list().find((found) => found.manifest.id === agent.runner_id)?.manifest;
    return { name: agent.label ?? null, description: manifest?.description?.en_US ?? null };
  };
}

/** Sessions, what was said in them, and the runs in them. */
export function conversationSide(ground: HttpGround, { http, attachments }: HttpParts): ApiRoute[] {
  const { store, gateway, bus, clock, proxy } = ground;
  const { cursors } = proxy;
  const { transcript, interactions } = store;
  const desk = deskOf(ground);
  const tasks = taskReader(ground);
  const reader = {
    interactions,
    sign: (
      principal: Principal,
      { artifact_id, session_id }: { artifact_id: string; session_id: string },
      req: Parameters<typeof originOf>[0],
    ) => attachments.sign(principal, artifact_id, 'GET', originOf(req), session_id).url,
  };
  return [
    ...sessionRoutes({
      desk,
      store,
      cursors,
      past: new SessionPast({ log: store, saved: store.sessions }),
      words: wordsOf(ground),
      checkInput: (principal) => checkInput(ground, principal),
      closeStreams: (session_id) => http.hub.closeSession(session_id),
    }),
    ...transcriptRoutes({ desk, transcript, cursors, reader }),
    ...historyRoutes({ desk, store, reader }),
    ...searchRoutes({ desk, store }),
    ...runStatusRoutes({ gateway, desk, store, cursors, tasks }),
    ...waitRoutes({
      gateway,
      bus,
      clock,
      access: streamAccess(ground.access.access),
      whenGone: (session_id, listener) => http.hub.whenGone(session_id, listener),
      describe: (turn) => tasks.describe(turn),
    }),
  ];
}
