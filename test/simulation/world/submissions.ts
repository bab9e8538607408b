import type { Outcome } from '@rostra/host/session/session-driver';
import type { SessionMessage } from '@rostra/protocol/session/message';
import type { Scene } from './scene.ts';
import type { SimHost } from './sim-host.ts';
import { type Mail, owner } from './user-desk.ts';

interface Submission {
  message: SessionMessage;
  host: SimHost;
  answers: number;
}

const ownership = { workspace_id: 'w', owner_id: owner.id };

/** Frontends hand their messages in and wait for the answer, as the gateway does for them; impatient ones try again. */
export class Submissions {
  readonly #scene: Scene;
  readonly #open: Submission[] = [];
  /** Turns that a client was told of: they must be in the log for ever. */
  readonly promised = new Map<string, string>();
  /** Requests that were made more than once, and of which session. */
  readonly #repeated = new Map<string, string>();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  submit({ message, raw = false }: Mail, tries = 0): void {
    const host = this.#scene.reach(message.session_id, `${message.id}:${tries}`);
    if (host === null) {
      this.#retry({ message, raw }, tries);
      return;
    }
    if (raw) {
      host.gate.enter(() => {
        host.runtime.withSession(message.session_id, null, (_error, driver) => driver?.post(message));
      });
      return;
    }
    const submission: Submission = { message, host, answers: 0 };
    this.#open.push(submission);
    const answer = (error: Error | null, outcome: Outcome) => {
      // A process that died a moment ago answers nobody.
      if (!host.isAlive) return;
      submission.answers += 1;
      if (submission.answers > 1) this.#scene.verdict.broken('T1', `${message.id} was answered twice`);
      if (error !== null) this.#retry({ message }, tries);
      else this.#judge(message, outcome);
    };
    const opens = message.event === 'USER_INPUT' || message.subtype === 'SESSION_OPEN';
    const create = opens && message.sender.role === 'owner' ? ownership : null;
    host.gate.enter(() => {
      host.runtime.withSession(message.session_id, create, (error, driver) => {
        if (error !== null || driver === null) {
          answer(error ?? new Error('no such session'), { publish: [], known: null });
          return;
        }
        const isNew = driver.context.epoch === 0 && driver.context.state === 'CLOSED';
        host.runtime.isKnown(driver, message.id, answer, () => {
          if (isNew && message.event === 'USER_INPUT') driver.post(this.#opening(message));
          host.runtime.onMessage(message, answer);
        });
      });
    });
  }

  #opening(input: SessionMessage): SessionMessage {
    const { desk, decisions } = this.#scene;
    const payload = desk.opening(decisions.prng(`open:${input.id}`));
    return desk.control(input.session_id, `${input.id}:open`, 'SESSION_OPEN', payload);
  }

  #retry(mail: Mail, tries: number): void {
    const { decisions, timeline } = this.#scene;
    const name = `retry@${mail.message.id}:${tries}`;
    if (tries > 2 || !decisions.decide(name, 0.7)) return;
    const delay = decisions.prng(name).pick([1, 50, 600]);
    this.#repeated.set(mail.message.id, mail.message.session_id);
    timeline.at(timeline.now + delay, 'retry', () => this.submit(mail, tries + 1));
  }

  #judge(message: SessionMessage, { publish, known }: Outcome): void {
    const { verdict } = this.#scene;
    const { ledger } = this.#scene.oracle(message.session_id);
    if (known !== null) {
      verdict.met('T8');
      const turn = known === true ? undefined : ledger.turns.get(known.turn_id);
      if (known !== true && turn?.input_id !== message.id)
        verdict.broken('T8', `${message.id} is known as another turn`);
      const made = [...ledger.turns.values()].some((each) => each.input_id === message.id);
      if (known === true && made) verdict.broken('T8', `${message.id} made a turn and is known without`);
      return;
    }
    for (const out of publish) {
      verdict.met('D3.answer');
      if (!ledger.published.has(out.id)) verdict.broken('D3', `${message.id} was answered before its commit`);
      if (out.event === 'EVENT' && out.subtype === 'TURN_ACCEPTED' && out.turn_id !== undefined) {
        this.promised.set(out.turn_id, message.session_id);
      }
    }
  }

  /** Nobody who could be answered waits any more. */
  checkAnswered(): void {
    for (const { message, host, answers } of this.#open) {
      if (host.isAlive && answers === 0) {
        this.#scene.verdict.broken('T1', `${message.id} was never answered`);
      }
    }
  }

  /** What a client was told outlives every crash. */
  checkPromises(): void {
    for (const [turn_id, session_id] of this.promised) {
      if (this.#scene.corrupted.has(session_id)) continue;
      this.#scene.verdict.met('D1');
      if (!this.#scene.oracle(session_id).ledger.turns.has(turn_id)) {
        this.#scene.verdict.broken('D1', `${turn_id} was promised and is lost`);
      }
    }
    for (const [message_id, session_id] of this.#repeated) this.#checkOnce(message_id, session_id);
  }

  /** D2: however often a request was made and wherever, it has one turn. */
  #checkOnce(message_id: string, session_id: string): void {
    const turns = [...this.#scene.oracle(session_id).ledger.turns.values()];
    const made = turns.filter((turn) => turn.input_id === message_id).length;
    this.#scene.verdict.met('D2');
    if (made > 1) this.#scene.verdict.broken('D2', `${message_id} made ${made} turns`);
  }
}
