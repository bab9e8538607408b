import { streamOperations } from '@rostra/protocol/run-api/operations/streams';
import type { TaskResponse } from '@rostra/protocol/run-api/task';
import type { Bus } from '../../bus/port.ts';
import type { Clock } from '../../session/clock.ts';
import type { TurnRow } from '../../store/port.ts';
import { type ApiRoute, route } from '../api-route.ts';
import type { RunGateway } from '../ports.ts';
import { findTask, isEnded } from '../task-response.ts';
import { awaitEnd } from '../turn-end.ts';

export interface WaitDeps {
  gateway: RunGateway;
  bus: Bus;
  clock: Clock;
  /** What the plain GET of a run answers. */
  describe(turn: TurnRow): TaskResponse | Promise<TaskResponse>;
}

/** `GET …/wait?timeout=`: 200 when the run has ended, 202 when it goes on after that time (RA-9.8). */
export function waitRoutes({ gateway, bus, clock, describe }: WaitDeps): ApiRoute[] {
  return [
    route(streamOperations.waitForRun, async ({ principal, params, query, res }) => {
      const find = () => findTask(gateway, params.taskId, principal);
      const turn = await find();
      const waiting = awaitEnd({ bus, clock }, turn, query.timeout * 1000);
      // A client that went away needs no answer, and nothing should wait for one.
      res.once('close', waiting.stop);
      try {
        // Looked at after listening: it may have ended between the two.
        if (!isEnded(turn) && !isEnded(await find())) await waiting.ended;
      } finally {
        waiting.stop();
        res.off('close', waiting.stop);
      }
      const now = await find();
      return { status: isEnded(now) ? 200 : 202, body: await describe(now) };
    }),
  ];
}
