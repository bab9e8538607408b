import type { EventAccepted, EventSubmission } from '@rostra/protocol/run-api/event-submission';
import type { EventInbox, HookDelivery, HookInbox } from '../../src/http/ports.ts';
import type { Principal } from '../../src/session/session-gateway.ts';

/** Takes every event, and every delivery that is signed at all: what HTTP makes of them is seen here. */
export class FakeEntries implements EventInbox, HookInbox {
  readonly events: { submission: EventSubmission; principal: Principal }[] = [];
  readonly deliveries: { id: string; delivery: HookDelivery }[] = [];

  async accept(submission: EventSubmission, principal: Principal): Promise<EventAccepted> {
    this.events.push({ submission, principal });
    return accepted(submission.event.event_id);
  }

  async deliver(id: string, delivery: HookDelivery): Promise<EventAccepted | null> {
    if (delivery.signature === undefined) return null;
    this.deliveries.push({ id, delivery });
    return accepted(`webhook:${id}`);
  }
}

function accepted(event_id: string): EventAccepted {
  return { event_id, session_id: 's', task_id: 't', agent_id: 'guide', created: '2026-01-01T00:00:00.000Z' };
}
