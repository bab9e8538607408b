import { isJsonObject } from '@rostra/protocol/wire/json';

/** Whose messages a client has written itself. */
const ownRoles: ReadonlySet<unknown> = new Set(['user', 'system', 'developer']);

/**
 * A body of AG-UI without halves of surrogate pairs in what it says again of what it was told. Agents break characters,
 * cutting a text or stopped in the middle of one, and a thread that was told half of one must not end with that.
 */
export function withWholeEcho(body: unknown): unknown {
  if (!isJsonObject(body)) return body;
  const { messages, state } = body;
  return {
    ...body,
    ...(Array.isArray(messages) && { messages: messages.map((each) => (isOwn(each) ? each : whole(each))) }),
    ...(state !== undefined && { state: whole(state) }),
  };
}

function isOwn(message: unknown): boolean {
  return !isJsonObject(message) || ownRoles.has(message.role);
}

/** The same with the sign for what cannot be read in the place of each half; names stay as they are. */
function whole(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(whole);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, whole(each)]));
}
