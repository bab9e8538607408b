import type { LogRecord } from '@rostra/protocol/record/record';
import type { SessionMessage } from '@rostra/protocol/session/message';
import type { Scene } from './scene.ts';
import type { Mail } from './user-desk.ts';

/** What people do at once when they see something: it meets what the session is just doing. */
export class Reflexes {
  readonly #scene: Scene;
  readonly #submit: (mail: Mail) => void;

  constructor(scene: Scene, submit: (mail: Mail) => void) {
    this.#scene = scene;
    this.#submit = submit;
  }

  see(record: LogRecord): void {
    if (record.event === 'EVENT') this.#event(record);
    if (record.event === 'CONTROL' && record.subtype === 'HANDOVER_UI_PROMPT') this.#prompt(record);
  }

  #maybe(
    what: string,
    record: LogRecord,
    rate: number,
    make: (name: string) => SessionMessage | SessionMessage[],
  ): void {
    const { decisions, timeline } = this.#scene;
    const name = `${what}@${record.id}`;
    if (!decisions.decide(name, rate)) return;
    const delay = decisions.prng(name).pick([0, 0, 1, 5, 40]);
    timeline.at(timeline.now + delay, `user:${what}`, () => {
      for (const message of [make(name)].flat()) this.#submit({ message });
    });
  }

  #event(record: Extract<LogRecord, { event: 'EVENT' }>): void {
    const { rates } = this.#scene.profile;
    const { desk } = this.#scene;
    const { session_id } = record;
    switch (record.subtype) {
      case 'AGENT_STARTED':
      case 'TURN_DISPATCHED': {
        const { agent_id } = record.payload;
        const remove = (id: string) => desk.control(session_id, id, 'REMOVE_AGENT', { agent_id });
        this.#maybe('cancel', record, rates.reflexCancel / 2, (id) => desk.control(session_id, id, 'CANCEL', {}));
        this.#maybe('remove.speaker', record, rates.reflexMembership / 12, remove);
        return;
      }
      case 'CANCEL_SENT':
        this.#maybe('cancel', record, rates.reflexCancel, (id) => desk.control(session_id, id, 'CANCEL', {}));
        return;
      case 'INTERACTION_OPENED': {
        const { interaction_id } = record.payload;
        const answer = { interaction_id, action_id: 'ok', values: {} };
        const make = (id: string) => desk.control(session_id, id, 'INTERACTION_ANSWERED', answer);
        this.#maybe('answer', record, 0.5, make);
        this.#maybe('answer.again', record, 0.15, make);
        return;
      }
      case 'AGENT_REMOVING':
      case 'ADDING_AGENT':
        this.#membership(record, record.payload.agent_id);
        return;
      case 'SESSION_CLOSED':
        if (record.payload.existing) return;
        this.#maybe('reopen', record, 0.7, (id) => desk.control(session_id, id, 'SESSION_OPEN', {}));
        return;
      default:
    }
  }

  #membership(record: LogRecord, agent_id: string): void {
    const { desk, profile } = this.#scene;
    const { session_id } = record;
    const rate = profile.rates.reflexMembership / 2;
    this.#maybe('invite', record, rate, (id) => desk.control(session_id, id, 'INVITE_AGENT', { agent_id }));
    this.#maybe('remove', record, rate, (id) => desk.control(session_id, id, 'REMOVE_AGENT', { agent_id }));
    this.#maybe('mention', record, rate, (id) => desk.input(session_id, id, agent_id));
    this.#maybe('close', record, rate / 3, (id) => desk.control(session_id, id, 'SESSION_CLOSE', {}));
  }

  #prompt(record: Extract<LogRecord, { subtype: 'HANDOVER_UI_PROMPT' }>): void {
    const { desk, profile } = this.#scene;
    const { session_id, tx_id = '', payload } = record;
    const rate = profile.rates.reflexHandover;
    this.#maybe('confirm', record, 0.7, (id) => desk.handoverAnswer(session_id, id, tx_id, true));
    this.#maybe('reject', record, rate, (id) => desk.handoverAnswer(session_id, id, tx_id, false));
    this.#maybe('confirm.again', record, rate, (id) => desk.handoverAnswer(session_id, id, tx_id, true));
    const leaver = (agent_id: string) => (id: string) => desk.control(session_id, id, 'REMOVE_AGENT', { agent_id });
    this.#maybe('remove.target', record, rate / 2, leaver(payload.target_agent_id));
    this.#maybe('remove.source', record, rate / 2, leaver(payload.from_agent_id));
    // Between the confirmation and the context: the one who was chosen leaves while the other is being stopped.
    this.#maybe('confirm.remove', record, rate / 2, (id) => [
      desk.handoverAnswer(session_id, `${id}.yes`, tx_id, true),
      leaver(payload.target_agent_id)(id),
    ]);
    this.#maybe('input', record, rate, (id) => desk.input(session_id, id));
    this.#maybe('close', record, rate / 5, (id) => desk.control(session_id, id, 'SESSION_CLOSE', {}));
  }
}
