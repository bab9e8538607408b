import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AguiEvent } from '@rostra/protocol/run-api/agui-event';
import { RunRule } from '@rostra/protocol/run-api/run-rules';
import { limits } from '@rostra/protocol/wire/limits';
import type { Attachments } from '../../attachments/attachments.ts';
import { noSuchThread, type Principal } from '../../session/session-gateway.ts';
import { sessionIdOf } from '../../session/session-id.ts';
import type { TranscriptStore } from '../../store/ports/transcript.ts';
import { readBody } from '../body.ts';
import { checkContentType } from '../content-type.ts';
import { originOf } from '../request-origin.ts';
import { readAgui } from '../run-body.ts';
import { writeEvents } from '../sse/sse-answer.ts';
import type { StreamHub } from '../sse/stream-hub.ts';
import { threadSnapshot } from '../thread-snapshot.ts';
import type { AguiIntake } from './agui.ts';
import type { RunsDeps } from './runs.ts';

export interface ConnectDeps extends RunsDeps {
  readonly hub: StreamHub;
  readonly agui: Pick<AguiIntake, 'gateway'>;
  readonly transcript: Pick<TranscriptStore, 'page'>;
  readonly attachments: Pick<Attachments, 'sign'>;
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
  const context = (await deps.agui.gateway.reach(session_id, principal))?.context ?? null;
  const first = Object.values(context?.inflight ?? {}).find(({ run_id }) => run_id !== null);
  const live = first === undefined ? [] : [first.turn_id];
  const url = (artifact_id: string) =>
    deps.attachments.sign(principal, artifact_id, 'GET', originOf(req), session_id).url;
  const messages = context === null ? [] : await threadSnapshot(deps.transcript, session_id, { live, url });
  const events: AguiEvent[] = [
    { type: 'RUN_STARTED', threadId, runId },
    { type: 'MESSAGES_SNAPSHOT', messages },
    { type: 'RUN_FINISHED', threadId, runId },
  ];
  // A thread that nobody knows yet has nothing to tell.
  writeEvents(res, messages.length === 0 ? [] : events);
  const turn = first === undefined ? null : await deps.gateway.findTurn(first.turn_id, principal);
  if (turn === null) res.end();
  else await deps.hub.follow(turn, { principal, cursor: null, until: 'last_run_end' }, res);
}
