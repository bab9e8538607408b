import type { ServerResponse } from 'node:http';
import { streamOperations } from '@rostra/protocol/run-api/operations/streams';
import type { TaskResponse } from '@rostra/protocol/run-api/task';
import { limits } from '@rostra/protocol/wire/limits';
import type { Principal } from '../../session/session-gateway.ts';
import type { TurnRow } from '../../store/port.ts';
import { type ApiRoute, route } from '../api-route.ts';
import { HttpError } from '../errors.ts';
import type { RunGateway } from '../ports.ts';
import { accessEnded, type StreamAccess } from '../sse/stream-access.ts';
import { findTask, isEnded } from '../task-response.ts';
import { awaitEnd, type TurnEndDeps } from '../turn-end.ts';

export interface WaitDeps extends TurnEndDeps {
  gateway: RunGateway;
  access: StreamAccess;
  /** What the plain GET of a run answers. */
  describe(turn: TurnRow): TaskResponse | Promise<TaskResponse>;
}

/** `GET …/wait?timeout=`: 200 when the run has ended, 202 when it goes on after that time (RA-9.8). */
export function waitRoutes(deps: WaitDeps): ApiRoute[] {
  const { gateway, access, describe } = deps;
  let waits = 0;

  /** Waits for the end of a turn as a stream would: it takes the place of one, and ends when access does. */
  async function wait(turn: TurnRow, ms: number, { principal, res }: { principal: Principal; res: ServerResponse }) {
    if (waits >= limits.sse_streams) {
      throw new HttpError(429, 'rate_limited', `${limits.sse_streams} requests wait for runs`, {
        retryable: true,
        details: { hint: 'Ask again later, or follow the events of the run.' },
      });
    }
    let isCut = false;
    const release = access.open(principal, () => {
      isCut = true;
      waiting.stop();
    });
    waits += 1;
    const waiting = awaitEnd(deps, turn, ms);
    // A client that went away needs no answer, and nothing should wait for one.
    res.once('close', waiting.stop);
    try {
      // Looked at after listening: it may have ended between the two.
      if (!isEnded(await findTask(gateway, turn.turn_id, principal))) await waiting.ended;
    } finally {
      waits -= 1;
      release();
      waiting.stop();
      res.off('close', waiting.stop);
    }
    if (isCut) throw accessEnded();
  }

  return [
    route(streamOperations.waitForRun, async ({ principal, params, query, res }) => {
      const turn = await findTask(gateway, params.taskId, principal);
      if (!isEnded(turn)) await wait(turn, query.timeout * 1000, { principal, res });
      const now = await findTask(gateway, params.taskId, principal);
      return { status: isEnded(now) ? 200 : 202, body: await describe(now) };
    }),
  ];
}
