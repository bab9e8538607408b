import type { SessionMessage } from '@rostra/protocol/session/message';
import type { SessionContext } from './context.ts';
import { Draft } from './draft.ts';
import { forwardedChunk } from './forwarded-chunk.ts';
import { proceed } from './proceed.ts';
import { ruleFor } from './rules.ts';
import { settled } from './speech.ts';

export interface Step {
  context: SessionContext;
  publish: SessionMessage[];
}

/**
 * The SessionRuntime's one decision: total, deterministic, pure (SR-I). A message without effect returns the same
 * context and publishes nothing, so that repeats, echoes and strangers leave no trace (SR-INV-M1 to M5).
 */
export function step(context: SessionContext, message: SessionMessage): Step {
  const forwarded = forwardedChunk(context, message);
  if (forwarded !== null) return forwarded;
  const decide = concerns(context, message) ? ruleFor(message) : null;
  if (decide === null) return { context, publish: [] };
  const before = settled(context);
  const d = new Draft(before, message);
  decide(d, message);
  if (d.context === before && d.publish.length === 0) return { context, publish: d.publish };
  // A chunk that was merely forwarded makes nothing possible that was not possible before.
  if (message.subtype !== 'chunk' || d.context.speaking_agent_id === null) proceed(d);
  d.set({ ts: message.ts });
  return { context: d.context, publish: d.publish };
}

/** Messages of other sessions and leftovers of an earlier owner are not heard. */
function concerns(context: SessionContext, message: SessionMessage): boolean {
  if (message.session_id !== context.session_id) return false;
  const { kind } = message.sender;
  if (kind === 'agent' || kind === 'session_manager') return message.epoch === context.epoch;
  return context.epoch !== 0 || message.subtype === 'SESSION_CREATED';
}
