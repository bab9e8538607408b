import type { PayloadOf, SessionMessage, SubtypeOf } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import type { Sender } from '@rostra/protocol/session/sender';
import type { Frontend } from './frontend.ts';
import type { Prng } from './prng.ts';
import type { ActionKind, Profile } from './profile.ts';

export const owner: Sender = { kind: 'user', id: 'u1', role: 'owner' };
export const participant: Sender = { kind: 'user', id: 'u2', role: 'participant' };
const observer: Sender = { kind: 'user', id: 'u3', role: 'observer' };
const foreigner: Sender = { kind: 'user', id: 'u9' };

export interface Mail {
  message: SessionMessage;
  /** Straight into the mailbox, without asking whether it is known: what no gateway does. */
  raw?: boolean;
}

/** What people do: each action becomes messages, from what is on their screens. */
export class UserDesk {
  readonly #profile: Profile;
  readonly #sent: SessionMessage[] = [];

  constructor(profile: Profile) {
    this.#profile = profile;
  }

  envelope(session_id: string, id: string, sender: Sender, turn_id?: string) {
    return { id, session_id, sender, target: 'SYSTEM' as const, turn_id, ts: 0, epoch: 0 };
  }

  input(session_id: string, name: string, mention?: string, sender: Sender = owner): SessionMessage {
    const text = `say ${name}`;
    const input = { text, contents: [], attachments: [], message_chain: null };
    const said = { input, client_run_id: name, payload_hash: text, data: {} };
    const payload =
      mention === undefined
        ? said
        : { input, mentioned_agent_id: mention, client_run_id: name, payload_hash: text, data: {} };
    const message = MessageFactory.userInput(payload, this.envelope(session_id, `run:${name}`, sender, `t-${name}`));
    this.#sent.push(message);
    return message;
  }

  control<S extends SubtypeOf<'CONTROL'>>(
    session_id: string,
    name: string,
    subtype: S,
    payload: PayloadOf<'CONTROL', S>,
    sender: Sender = owner,
  ): SessionMessage {
    const message = MessageFactory.control(subtype, payload, this.envelope(session_id, name, sender));
    this.#sent.push(message);
    return message;
  }

  act(kind: ActionKind, name: string, screen: Frontend, prng: Prng): Mail[] {
    const { session_id } = screen;
    const who = prng.chance(0.75) ? owner : participant;
    const agent = this.#agent(prng);
    switch (kind) {
      case 'input':
        return [{ message: this.input(session_id, name, undefined, who) }];
      case 'mention':
        return [{ message: this.#mention(session_id, name, prng, who) }];
      case 'burst': {
        const count = prng.pick([2, 2, 3, 3, 4, 20]);
        return Array.from({ length: count }, (_, n) => ({ message: this.input(session_id, `${name}.${n}`) }));
      }
      case 'cancel':
        return this.#cancels(session_id, name, screen, prng);
      case 'switch': {
        const payload = { agent_id: agent, force: prng.chance(0.3) };
        return [{ message: this.control(session_id, name, 'SWITCH_AGENT', payload, who) }];
      }
      case 'invite': {
        const payload = { agent_id: agent, activate: prng.chance(0.4) };
        const again = prng.chance(0.3)
          ? [{ message: this.control(session_id, `${name}.2`, 'INVITE_AGENT', payload) }]
          : [];
        return [{ message: this.control(session_id, name, 'INVITE_AGENT', payload) }, ...again];
      }
      case 'remove':
        return [{ message: this.control(session_id, name, 'REMOVE_AGENT', { agent_id: agent }) }];
      case 'answer':
        return [{ message: this.#answer(session_id, name, screen, prng) }];
      case 'open':
        return [{ message: this.control(session_id, name, 'SESSION_OPEN', this.opening(prng)) }];
      case 'close':
        return [{ message: this.control(session_id, name, 'SESSION_CLOSE', {}) }];
      case 'repeat':
        return this.#repeat(session_id, prng);
      case 'stranger':
        return [{ message: this.#stranger(screen, name, prng), raw: true }];
      case 'echo': {
        const own = screen.shown.filter(({ mark }) => mark === 'out');
        if (own.length === 0) return [];
        const { mark: _mark, v: _v, ...message } = prng.pick(own);
        return [{ message, raw: true }];
      }
      default:
        return [];
    }
  }

  opening(prng: Prng): PayloadOf<'CONTROL', 'SESSION_OPEN'> {
    if (prng.chance(0.6)) return {};
    return prng.pick([{ agents: ['b', 'a'] }, { agents: ['a', 'nobody'] }, { active_agent_id: 'b' }, { agents: [] }]);
  }

  #agent(prng: Prng): string {
    return prng.pick(this.#profile.members).agent_id;
  }

  #mention(session_id: string, name: string, prng: Prng, who: Sender): SessionMessage {
    const agent = prng.chance(0.1) ? 'nobody' : this.#agent(prng);
    const message = this.input(session_id, name, prng.chance(0.9) ? agent : undefined, who);
    return message.event === 'USER_INPUT' && prng.chance(0.5) ? { ...message, subtype: 'MENTION' } : message;
  }

  #cancels(session_id: string, name: string, screen: Frontend, prng: Prng): Mail[] {
    const turn_id = prng.chance(0.5) ? undefined : prng.pick([...screen.turns.slice(-4), 't-unknown']);
    const payload = turn_id === undefined ? {} : { turn_id };
    const subtype = prng.chance(0.8) ? 'CANCEL' : 'INTERRUPT';
    const mails = [{ message: this.control(session_id, name, subtype, payload) }];
    if (prng.chance(0.3)) {
      mails.push({ message: this.control(session_id, `${name}.2`, subtype, payload, participant) });
    }
    return mails;
  }

  #answer(session_id: string, name: string, screen: Frontend, prng: Prng): SessionMessage {
    if (prng.chance(0.5) && screen.questions.length > 0) {
      const interaction_id = prng.pick(screen.questions.slice(-3));
      return this.control(session_id, name, 'INTERACTION_ANSWERED', { interaction_id, action_id: 'ok', values: {} });
    }
    const prompt = screen.prompts.at(-1)?.tx_id ?? 'tx-unknown';
    return this.handoverAnswer(session_id, name, prompt, prng.chance(0.6));
  }

  handoverAnswer(session_id: string, name: string, tx_id: string, yes: boolean): SessionMessage {
    const message = yes
      ? this.control(session_id, name, 'HANDOVER_CONFIRM', {}, participant)
      : this.control(session_id, name, 'HANDOVER_REJECT', {}, owner);
    return { ...message, tx_id };
  }

  /** Something that was sent before comes again: as it was, or with other words under the same id. */
  #repeat(session_id: string, prng: Prng): Mail[] {
    const earlier = this.#sent.filter((message) => message.session_id === session_id).slice(-8);
    if (earlier.length === 0) return [];
    const message = prng.pick(earlier);
    if (message.event !== 'USER_INPUT' || prng.chance(0.6)) return [{ message }];
    const payload = { ...message.payload, payload_hash: 'other words' };
    return [{ message: { ...message, payload } }];
  }

  /** Somebody who may not, says something that he may not. */
  #stranger(screen: Frontend, name: string, prng: Prng): SessionMessage {
    const { session_id } = screen;
    const turn_id = screen.turns.at(-1) ?? 't-none';
    const someone = prng.pick<Sender>([observer, foreigner, participant, { kind: 'agent', id: 'a' }]);
    const to = { ...this.envelope(session_id, name, someone), turn_id, run_id: `${turn_id}.1` };
    const agent_id = this.#agent(prng);
    const member = {
      agent_id,
      policy: { queue: 'enqueue' as const, interruptible: true, steering: false, resumable: true },
    };
    const tx_id = screen.prompts.at(-1)?.tx_id ?? 'tx-none';
    const shape = prng.below(9);
    const quiet = { ...to, sender: prng.pick([observer, foreigner]) };
    if (shape === 0) return MessageFactory.timer('INPUT_ACK', { turn_id, gen: 1 }, to);
    if (shape === 1) return MessageFactory.control('ADD_AGENT_DONE', member, { ...to, tx_id });
    if (shape === 2) return MessageFactory.control('SESSION_RECOVERED', { epoch: 99 }, to);
    if (shape === 3) return MessageFactory.control('CANCEL', {}, quiet);
    if (shape === 4)
      return MessageFactory.control('SESSION_CLOSE', {}, { ...quiet, sender: prng.pick([observer, participant]) });
    if (shape === 5) return { ...this.input(session_id, name, undefined, quiet.sender), id: `forged:${name}` };
    if (shape === 6) return MessageFactory.control('INPUT_ACK', {}, { ...to, sender: observer });
    if (shape === 7) return MessageFactory.control('HANDOVER_CONFIRM', {}, { ...quiet, tx_id });
    const unheard = MessageFactory.event('CANCEL_SENT', { agent_id }, { ...to, sender: owner });
    return unheard;
  }
}
