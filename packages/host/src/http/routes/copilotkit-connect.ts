import type { IncomingMessage, ServerResponse } from 'node:http';
import { interruptOf } from '@rostra/kernel/agui/interrupt';
import type { SessionContext } from '@rostra/kernel/session/context';
import type { AguiEvent, AguiInterrupt } from '@rostra/protocol/run-api/agui-event';
import { RunRule } from '@rostra/protocol/run-api/run-rules';
import { limits } from '@rostra/protocol/wire/limits';
import type { Attachments } from '../../attachments/attachments.ts';
import { questionsOf } from '../../session/continued-run.ts';
import { noSuchThread, type Principal } from '../../session/session-gateway.ts';
import { sessionIdOf } from '../../session/session-id.ts';
import type { InteractionStore } from '../../store/ports/interaction.ts';
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
  readonly interactions: Pick<InteractionStore, 'get'>;
  readonly attachments: Pick<Attachments, 'sign'>;
}

/** The turns that are not over, in the order in which they were accepted. */
function liveTurns({ inflight }: SessionContext): string[] {
  const turns = Object.values(inflight).sort((a, b) => a.accepted - b.accepted);
  return turns.map(({ turn_id }) => turn_id);
}

/** What has to be answered before anything else; what a live turn asks is told by its own events. */
async function openInterrupts(deps: ConnectDeps, context: SessionContext): Promise<AguiInterrupt[]> {
  const open = questionsOf(context).filter(({ interrupts }) => interrupts);
  const rows = await Promise.all(open.map(({ interaction_id }) => deps.interactions.get(interaction_id)));
  return rows.flatMap((row) => (row === null ? [] : interruptOf(row)));
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
  const live = context === null ? [] : liveTurns(context);
  const interrupts = context === null || live.length > 0 ? [] : await openInterrupts(deps, context);
  const url = (artifact_id: string) =>
    deps.attachments.sign(principal, artifact_id, 'GET', originOf(req), session_id).url;
  const messages = context === null ? [] : await threadSnapshot(deps.transcript, session_id, { live, url });
  const outcome = { type: 'interrupt' as const, interrupts };
  const events: AguiEvent[] = [
    { type: 'RUN_STARTED', threadId, runId },
    { type: 'MESSAGES_SNAPSHOT', messages },
    { type: 'RUN_FINISHED', threadId, runId, ...(interrupts.length > 0 && { outcome }) },
  ];
  // Nothing can be refused any more once something was told.
  const place = live.length > 0 ? deps.hub.reserve(principal, res) : undefined;
  // A thread that nobody knows yet has nothing to tell.
  writeEvents(res, messages.length === 0 && interrupts.length === 0 ? [] : events);
  const [first, ...behind] = live;
  const turn = first === undefined ? null : await deps.gateway.findTurn(first, principal);
  if (turn === null) {
    res.end();
    return;
  }
  const until = 'last_run_end';
  await deps.hub.follow(turn, { principal, place, cursor: null, until, ...(behind.length > 0 && { behind }) }, res);
}
