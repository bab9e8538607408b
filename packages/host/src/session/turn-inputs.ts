import type { Said } from '@rostra/kernel/projection/said';
import type { SessionContext } from '@rostra/kernel/session/context';
import type { Resume } from '@rostra/protocol/session/input';
import type { MessageOf, SessionMessage } from '@rostra/protocol/session/message';

export type InputMessage =
  | MessageOf<'USER_INPUT', 'INPUT'>
  | MessageOf<'USER_INPUT', 'MENTION'>
  | MessageOf<'CONTROL', 'HANDOVER_CONTEXT'>;

/** What makes an agent begin: a user's input, or the context of a handover. */
export function isInput(message: SessionMessage): message is SessionMessage & InputMessage {
  return message.event === 'USER_INPUT' || (message.event === 'CONTROL' && message.subtype === 'HANDOVER_CONTEXT');
}

/**
 * The inputs of live turns by the `seq` of their record: a turn may be dispatched long after it was accepted, and again
 * after a restart. The log holds each once; what leaves is filled in from here.
 */
export class TurnInputs {
  readonly #payloads: Map<number, InputMessage['payload']>;
  /** What the turn had said that was live when the session was loaded. */
  readonly #said: ReadonlyMap<string, Said>;

  constructor(payloads: Map<number, InputMessage['payload']>, said: ReadonlyMap<string, Said>) {
    this.#payloads = payloads;
    this.#said = said;
  }

  get isEmpty(): boolean {
    return this.#payloads.size === 0;
  }

  add(seq: number, payload: InputMessage['payload']): void {
    this.#payloads.set(seq, payload);
  }

  fill(out: SessionMessage): SessionMessage {
    if (!isInput(out) || out.payload_of === undefined) return out;
    const payload = this.#payloads.get(out.payload_of);
    if (payload === undefined) throw new Error(`the input of turn ${out.turn_id} is not at hand`);
    const { resume } = out.payload;
    const filled = resume === undefined ? payload : { ...payload, resume: this.#resumed(resume, out.turn_id) };
    // The payload is that of the record which the message names: of the same kind.
    return { ...out, payload: filled } as SessionMessage;
  }

  #resumed(resume: Resume, turn_id = ''): Resume {
    return { ...resume, ...this.#said.get(turn_id), ...answerOf(resume) };
  }

  forget({ inflight }: SessionContext): void {
    if (this.#payloads.size === 0) return;
    const needed = new Set<number | null>();
    for (const id in inflight) {
      const turn = inflight[id];
      if (turn !== undefined) needed.add(turn.input_seq).add(turn.context_seq);
    }
    for (const seq of this.#payloads.keys()) if (!needed.has(seq)) this.#payloads.delete(seq);
  }
}

/** An answer that came just now is newer than what the log had at the load. */
function answerOf({ interaction_answer }: Resume): Pick<Resume, 'interaction_answer'> {
  return interaction_answer === undefined ? {} : { interaction_answer };
}
