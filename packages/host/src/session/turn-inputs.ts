import type { Said } from '@rostra/kernel/projection/said';
import type { SessionContext } from '@rostra/kernel/session/context';
import type { Resume, UserInputPayload } from '@rostra/protocol/session/input';
import type { PayloadOf, SessionMessage } from '@rostra/protocol/session/message';
import { LiveMap } from '@rostra/transport/live-map';
import type { TurnRow } from '../store/port.ts';

/** What makes an agent begin: a user's input, or the context of a handover. */
export function isInput(message: SessionMessage): boolean {
  return message.event === 'USER_INPUT' || (message.event === 'CONTROL' && message.subtype === 'HANDOVER_CONTEXT');
}

/**
 * The inputs of live turns by the `seq` of their record: a turn may be dispatched long after it was accepted, and again
 * after a restart. The log holds each once; what leaves is filled in from here.
 */
export class TurnInputs {
  readonly #inputs = new LiveMap<number, UserInputPayload>();
  readonly #contexts = new LiveMap<number, PayloadOf<'CONTROL', 'HANDOVER_CONTEXT'>>();
  /** What the turn had said that was live when the session was loaded. */
  readonly #said: ReadonlyMap<string, Said>;

  constructor(said: ReadonlyMap<string, Said>) {
    this.#said = said;
  }

  get isEmpty(): boolean {
    return this.#inputs.size === 0 && this.#contexts.size === 0;
  }

  /** Keeps the payload of a record that may be sent again. */
  add(seq: number, message: SessionMessage): void {
    if (message.event === 'USER_INPUT') this.#inputs.set(seq, message.payload);
    else if (message.event === 'CONTROL' && message.subtype === 'HANDOVER_CONTEXT') {
      this.#contexts.set(seq, message.payload);
    }
  }

  /** The input of a turn that no message of a person started is published in the step which may dispatch it. */
  addPublished(seq: number, publish: readonly SessionMessage[]): void {
    publish.forEach((out, index) => {
      if (out.event === 'USER_INPUT' && out.payload_of === undefined) this.#inputs.set(seq + 1 + index, out.payload);
    });
  }

  at(seq: number): UserInputPayload | undefined {
    return this.#inputs.get(seq);
  }

  /** What is published, with the payloads that stand elsewhere. */
  filled(publish: SessionMessage[]): SessionMessage[] {
    if (this.isEmpty || publish.every(({ payload_of }) => payload_of === undefined)) return publish;
    return publish.map((out) => this.#fill(out));
  }

  #fill(out: SessionMessage): SessionMessage {
    const { payload_of } = out;
    if (payload_of === undefined) return out;
    if (out.event === 'USER_INPUT') {
      return { ...out, payload: { ...atHand(this.#inputs, payload_of), ...this.#resumed(out.payload, out.turn_id) } };
    }
    if (out.event !== 'CONTROL' || out.subtype !== 'HANDOVER_CONTEXT') return out;
    return { ...out, payload: { ...atHand(this.#contexts, payload_of), ...this.#resumed(out.payload, out.turn_id) } };
  }

  #resumed({ resume }: { resume?: Resume | undefined }, turn_id = ''): { resume?: Resume } {
    if (resume === undefined) return {};
    return { resume: { ...resume, ...this.#said.get(turn_id), ...answerOf(resume) } };
  }

  /** After a step that changed these rows. An input is let go with its turn, or at once if it made none. */
  forget(message: SessionMessage, rows: readonly Pick<TurnRow, 'ended_at'>[], { inflight }: SessionContext): void {
    const isOver = rows.length === 0 ? message.event === 'USER_INPUT' : rows.some(({ ended_at }) => ended_at !== null);
    if (!isOver || this.isEmpty) return;
    const needed: (number | null)[] = [];
    for (const id in inflight) {
      const turn = inflight[id];
      if (turn !== undefined) needed.push(turn.input_seq, turn.context_seq);
    }
    for (const seq of this.#inputs.keys()) if (!needed.includes(seq)) this.#inputs.delete(seq);
    for (const seq of this.#contexts.keys()) if (!needed.includes(seq)) this.#contexts.delete(seq);
  }
}

function atHand<T extends object>(payloads: LiveMap<number, T>, seq: number): T {
  const payload = payloads.get(seq);
  if (payload === undefined) throw new Error(`the input at ${seq} is not at hand`);
  return payload;
}

/** An answer that came just now is newer than what the log had at the load. */
function answerOf({ interaction_answer }: Resume): Pick<Resume, 'interaction_answer'> {
  return interaction_answer === undefined ? {} : { interaction_answer };
}
