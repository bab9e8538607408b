import type { EventSubmission } from '@rostra/protocol/run-api/event-submission';
import { messageReceived } from '@rostra/protocol/session/event-name';
import type { TurnEvent } from '@rostra/protocol/session/input';
import { TurnEvent as TurnEventSchema } from '@rostra/protocol/session/input';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Principal } from '../session/session-gateway.ts';
import { type EntryEvent, PIPELINE, SYSTEM } from './entry-event.ts';

function refused(message: string, path: string, hint: string): ApiError {
  return new ApiError('invalid_argument', message, { details: { path, hint } });
}

const own: ReadonlySet<string> = new Set(['owner', SYSTEM, PIPELINE]);

/** Whoever the host itself knows: an event may not claim to be theirs. */
function isOfHost(actor_id: string): boolean {
  return own.has(actor_id) || actor_id.startsWith('key:') || actor_id.startsWith('jwt:');
}

/** What comes from outside the host says whose it is, but it is never one of those whom the host knows by their keys or tokens. */
export function checkActor(actor: EventSubmission['actor'], { user_id }: Principal): void {
  const actor_id = actor?.actor_id ?? null;
  if (actor_id === null || !isOfHost(actor_id) || actor_id === user_id) return;
  const hint = 'Name the actor as its platform does, or leave it out.';
  throw refused('this actor is one that only the host speaks of', 'actor.actor_id', hint);
}

/** What the types cannot say. */
export function checkSubmission({ event, actor, input }: EventSubmission, principal: Principal): void {
  checkActor(actor, principal);
  if (
    event.event_type === messageReceived &&
    (input === null || (input.text === null && input.contents.length === 0))
  ) {
    throw refused('a message needs an input', 'input', 'Put what was said into input.text.');
  }
  const brings = (input?.attachments.length ?? 0) > 0 || input?.contents.some(({ type }) => type !== 'text') === true;
  if (!brings) return;
  throw refused('only text can be sent with an event', 'input', 'Send text, and what else there is as `raw`.');
}

/** Its entry as a run is told of it; a source that has a name of its own is a platform (RP-4.9). */
function triggerSource(source: string): TurnEvent['trigger_source'] {
  const known = TurnEventSchema.shape.trigger_source.safeParse(source);
  // What comes over HTTP is no work of the host's own entries, whatever it calls itself.
  return known.success && (known.data === 'webui' || known.data === 'api') ? known.data : 'platform';
}

export function entryEventOf({ raw, ...envelope }: EventSubmission): EntryEvent {
  const bytes = raw === undefined ? null : Buffer.from(JSON.stringify(raw));
  return {
    envelope,
    trigger_source: triggerSource(envelope.event.source),
    adapter: null,
    raw: bytes === null ? null : { name: 'raw.json', mime_type: 'application/json', bytes },
    files: [],
  };
}
