import type { LogRecord } from '@rostra/protocol/record/record';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { envelopeOf, type RunTrigger } from '../context/event-envelope.ts';
import { actorIdentity } from '../context/event-identity.ts';

/** Whose words and deeds a turn's are: which bot and thread of the conversation, and which event of whom started it. */
export interface Origin {
  readonly event_id: string | null;
  readonly thread_id: string | null;
  readonly bot_id: string | null;
  readonly actor_id: string | null;
}

const nobody: Origin = { event_id: null, thread_id: null, bot_id: null, actor_id: null };

/** The origins of live turns, from the same events that their runs are made from: what they say lies where they look. */
export class TurnOrigins {
  readonly #origins = new Map<string, Origin>();
  #ended: string[] = [];

  /** One step of the log. A turn that it ends is known until the next one. */
  step(input: LogRecord, outs: readonly LogRecord[]): void {
    for (const turn_id of this.#ended) this.#origins.delete(turn_id);
    this.#ended = [];
    for (const out of outs) {
      if (out.turn_id === undefined) continue;
      if (isTrigger(out)) this.note(out, out.turn_id);
      else if (out.event === 'EVENT') this.#follow(input, out, out.turn_id);
    }
  }

  of(turn_id: string | null | undefined): Origin {
    return this.#origins.get(turn_id ?? '') ?? nobody;
  }

  #follow(input: LogRecord, out: Extract<LogRecord, { event: 'EVENT' }>, turn_id: string): void {
    const { subtype } = out;
    if (subtype === 'TURN_ACCEPTED' && isTrigger(input)) this.note(input, turn_id);
    if (subtype === 'TURN_COMPLETED' || subtype === 'TURN_FAILED' || subtype === 'CANCELED') this.#ended.push(turn_id);
  }

  /** An input may be read from a log that holds its payload elsewhere; then it was noted where it stands. */
  note(trigger: RunTrigger, turn_id: string): void {
    if (this.#origins.has(turn_id) || !isWhole(trigger)) return;
    const envelope = envelopeOf(trigger, turn_id);
    const { event, conversation } = envelope;
    this.#origins.set(turn_id, {
      event_id: event.event_id,
      thread_id: conversation?.thread_id ?? null,
      bot_id: conversation?.bot_id ?? null,
      actor_id: actorIdentity(trigger, envelope),
    });
  }
}

/** Whether a record is what makes an agent begin. */
export function isTrigger<M extends SessionMessage>(record: M): record is M & RunTrigger {
  return record.event === 'USER_INPUT' || (record.event === 'CONTROL' && record.subtype === 'HANDOVER_CONTEXT');
}

function isWhole({ payload }: RunTrigger): boolean {
  return 'input' in payload || 'from_agent_id' in payload;
}
