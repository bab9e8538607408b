import type { Committed } from '@rostra/host/bus/port';
import type { LogRecord } from '@rostra/protocol/record/record';

/** What the people of one session have on their screens. */
export class Frontend {
  readonly session_id: string;
  readonly turns: string[] = [];
  /** Handover prompts and questions, oldest first. */
  readonly prompts: { tx_id: string; from: string; to: string }[] = [];
  readonly questions: string[] = [];
  /** Steering turns by the turn they steer. */
  readonly steering = new Map<string, string[]>();
  /** The newest messages of the session, for whoever sends them back. */
  readonly shown: LogRecord[] = [];
  /** By process, the last record that it announced and its epoch: under one epoch the next follows without a gap. */
  readonly #seen = new Map<string, { seq: number; epoch: number }>();
  readonly #react: (record: LogRecord) => void;

  constructor(session_id: string, react: (record: LogRecord) => void) {
    this.session_id = session_id;
    this.#react = react;
  }

  /** Returns what is wrong with it, if anything. */
  see(host: string, { records, epoch }: Committed): string | null {
    let wrong: string | null = null;
    for (const record of records) {
      const last = this.#seen.get(host);
      if (last !== undefined && epoch < last.epoch) wrong = `after epoch ${last.epoch} came ${epoch}`;
      if (last?.epoch === epoch && record.seq !== last.seq + 1) wrong = `after ${last.seq} came ${record.seq}`;
      this.#seen.set(host, { seq: record.seq, epoch });
      if (record.mark === 'out' || record.mark === 'both') this.#show(record);
    }
    return wrong;
  }

  #show(record: LogRecord): void {
    this.shown.push(record);
    if (this.shown.length > 12) this.shown.shift();
    if (record.event === 'EVENT' && record.subtype === 'TURN_ACCEPTED') {
      const id = record.turn_id ?? '';
      this.turns.push(id);
      const parent = record.payload.parent_turn_id ?? '';
      if (record.payload.state === 'steering') this.steering.set(parent, [...(this.steering.get(parent) ?? []), id]);
    }
    if (record.event === 'CONTROL' && record.subtype === 'HANDOVER_UI_PROMPT') {
      const { from_agent_id: from, target_agent_id: to } = record.payload;
      this.prompts.push({ tx_id: record.tx_id ?? '', from, to });
    }
    if (record.event === 'EVENT' && record.subtype === 'INTERACTION_OPENED') {
      this.questions.push(record.payload.interaction_id);
    }
    this.#react(record);
  }
}
