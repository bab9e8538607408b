import type { Attachments } from '../attachments/attachments.ts';
import type { HostStatus } from '../http/ports.ts';
import type { HttpServer } from '../http/server.ts';
import type { IntakeSide } from './intake-side.ts';

/** What is there from the start; routes beside the hot ones are made from it at the first request (`api-side.ts`). */
export interface HttpParts {
  readonly http: HttpServer;
  readonly attachments: Attachments;
  readonly intake: IntakeSide;
  status(): HostStatus;
}
