import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import type { AguiEvent, AguiSnapshotMessage } from '@rostra/protocol/run-api/agui-event';
import { COPILOTKIT_DEFAULT, type CopilotKitInfo } from '@rostra/protocol/run-api/copilotkit';
import { aguiOperations } from '@rostra/protocol/run-api/operations/agui';
import { RunRule } from '@rostra/protocol/run-api/run-rules';
import { limits } from '@rostra/protocol/wire/limits';
import { noSuchThread, type Principal, type SessionGateway } from '../../session/session-gateway.ts';
import { sessionIdOf } from '../../session/session-id.ts';
import type { TranscriptStore } from '../../store/ports/transcript.ts';
import { type ApiRoute, route } from '../api-route.ts';
import { readBody } from '../body.ts';
import { checkContentType } from '../content-type.ts';
import type { HostStatus } from '../ports.ts';
import { readAgui } from '../run-body.ts';
import { writeEvents } from '../sse/sse-answer.ts';
import type { StreamHub } from '../sse/stream-hub.ts';
import type { AguiIntake } from './agui.ts';
import { checkAgent, type RunsDeps } from './runs.ts';

interface CopilotDeps {
  readonly gateway: Pick<SessionGateway, 'reach' | 'cancelTurn'>;
  status(): HostStatus;
}

/** The agent that a path means; null: whoever the thread has. */
export function copilotAgent(agent_id: string, { agents }: HostStatus): string | null {
  if (agent_id === COPILOTKIT_DEFAULT && !agents.includes(agent_id)) return null;
  checkAgent(agent_id, agents);
  return agent_id;
}

function infoOf({ version, agents }: HostStatus): CopilotKitInfo {
  const about = (name: string, description: string) => ({ name, description, className: 'HttpAgent' });
  const listed: CopilotKitInfo['agents'] = {
    [COPILOTKIT_DEFAULT]: about(COPILOTKIT_DEFAULT, 'The agent that the thread has.'),
  };
  for (const agent of agents) listed[agent] = about(agent, '');
  return { version, agents: listed, audioFileTranscriptionEnabled: false };
}

/** What a CopilotKit frontend asks of its runtime beside runs. */
export function copilotRoutes({ gateway, status }: CopilotDeps): ApiRoute[] {
  return [
    route(aguiOperations.copilotInfo, async () => ({ status: 200, body: infoOf(status()) })),
    route(aguiOperations.copilotStop, async ({ params, principal }) => {
      copilotAgent(params.agentId, status());
      const driver = await gateway.reach(sessionIdOf(params.threadId), principal);
      if (driver === null) throw noSuchThread();
      const { session_id } = driver;
      const live = Object.keys(driver.context.inflight);
      for (const turn_id of live) await gateway.cancelTurn({ session_id, turn_id }, principal);
      const message = live.length === 0 ? 'nothing goes on in this thread' : 'the thread was stopped';
      return { status: 200, body: { message } };
    }),
  ];
}

export interface ConnectDeps extends RunsDeps {
  readonly hub: StreamHub;
  readonly agui: Pick<AguiIntake, 'gateway'>;
  readonly transcript: Pick<TranscriptStore, 'page'>;
}

function messageOf({ role, content, item_id, client_id, actor }: TranscriptRow): AguiSnapshotMessage {
  if (role === 'user') return { id: client_id ?? item_id, role: 'user', content };
  const name = typeof actor?.id === 'string' ? { name: actor.id } : {};
  return { id: item_id, role: 'assistant', content, ...name };
}

/** The end of a thread, oldest first; what the live turn has said is told by its own events. */
async function snapshot(
  transcript: ConnectDeps['transcript'],
  session_id: string,
  live: string | null,
): Promise<AguiSnapshotMessage[]> {
  let rows: TranscriptRow[] = [];
  let bytes = 0;
  const where = { roles: ['user', 'assistant'], item_types: ['message'] };
  for (;;) {
    const [oldest] = rows;
    const before = oldest === undefined ? {} : { before: oldest.seq };
    const page = await transcript.page(session_id, { limit: limits.page_items, where, ...before });
    rows = [...page.rows, ...rows];
    bytes += page.rows.reduce((sum, { content }) => sum + content.length, 0);
    if (!page.has_more || rows.length >= limits.snapshot_messages || bytes >= limits.snapshot_bytes) break;
  }
  return rows.filter(({ turn_id, role }) => role === 'user' || turn_id !== live).map(messageOf);
}

/** `POST /api/v1/copilotkit/agent/{agentId}/connect`: the thread as it stands, then what goes on in it. */
export async function postConnect(
  deps: ConnectDeps,
  principal: Principal,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  checkContentType(req);
  const limit = { bytes: limits.agui_body_bytes, message: RunRule.payload };
  const { input } = readAgui(await readBody(req, res, limit, deps.clock));
  const { threadId, runId } = input;
  const session_id = sessionIdOf(threadId);
  if (await deps.gateway.isForeign(session_id, principal)) throw noSuchThread();
  const driver = await deps.agui.gateway.reach(session_id, principal);
  const live = Object.values(driver?.context.inflight ?? {}).find(({ run_id }) => run_id !== null) ?? null;
  const messages = driver === null ? [] : await snapshot(deps.transcript, session_id, live?.turn_id ?? null);
  const events: AguiEvent[] = [
    { type: 'RUN_STARTED', threadId, runId },
    { type: 'MESSAGES_SNAPSHOT', messages },
    { type: 'RUN_FINISHED', threadId, runId },
  ];
  // A thread that nobody knows yet has nothing to tell.
  writeEvents(res, messages.length === 0 ? [] : events);
  const turn = live === null ? null : await deps.gateway.findTurn(live.turn_id, principal);
  if (turn === null) res.end();
  else await deps.hub.follow(turn, { principal, cursor: null, until: 'last_run_end' }, res);
}
