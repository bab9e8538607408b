import type { Bus, BusTopic } from '@rostra/host/bus/port';
import { SessionManager } from '@rostra/host/session/session-manager';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import type { Decisions } from './decisions.ts';
import type { FaultCount } from './fault-count.ts';
import type { Profile } from './profile.ts';
import type { SimBus } from './sim-bus.ts';
import type { Timeline } from './timeline.ts';

export interface ManagerSurroundings {
  timeline: Timeline;
  decisions: Decisions;
  faults: FaultCount;
  profile: Profile;
}

/** The real SessionManager on a line of its own: it may die with a request in its hands, fail, dawdle or repeat itself. */
export class SimManager implements Bus {
  readonly #bus: SimBus;
  readonly #around: ManagerSurroundings;
  readonly #answered = new Map<string, number>();

  constructor(bus: SimBus, around: ManagerSurroundings) {
    this.#bus = bus;
    this.#around = around;
    const { members, defaults } = around.profile;
    const roster = { default_agents: defaults, find: (id: string) => members.find(({ agent_id }) => agent_id === id) };
    new SessionManager(this, roster);
  }

  subscribe(topic: BusTopic, listener: (message: SessionMessage) => void): () => void {
    const { decisions, faults, profile } = this.#around;
    return this.#bus.subscribe(topic, (message) => {
      if (decisions.decide(`dies.before@${message.id}#${message.epoch}`, profile.rates.managerDies / 2)) {
        faults.add('manager.dies');
        return;
      }
      listener(message);
    });
  }

  publish(topic: BusTopic, message: SessionMessage): void {
    const { decisions, faults, profile, timeline } = this.#around;
    const count = this.#answered.get(message.id) ?? 0;
    this.#answered.set(message.id, count + 1);
    const key = `${message.id}#${message.epoch}.${count}`;
    const { rates, settings } = profile;
    if (decisions.decide(`dies.after@${key}`, rates.managerDies / 2)) {
      faults.add('manager.dies');
      return;
    }
    const prng = decisions.prng(`manager:${key}`);
    // A removal fails stubbornly, or this once.
    const stubborn =
      message.subtype === 'REMOVE_AGENT_DONE' && decisions.decide(`fails@${message.tx_id}`, rates.managerFails);
    const fails = stubborn || decisions.decide(`fails@${key}`, rates.managerFails);
    const answer = fails ? failed(message) : message;
    if (answer.subtype === 'REMOVE_AGENT_FAILED') faults.add('remove.fails');
    const delay = decisions.decide(`late@${key}`, rates.managerLate)
      ? settings.timeouts.add + prng.pick([-1, 0, 1, 90])
      : 0;
    const send = () => this.#bus.publish(topic, answer);
    if (delay > 0) timeline.at(timeline.now + delay, 'manager', send);
    else send();
    if (decisions.decide(`twice@${key}`, rates.managerTwice)) {
      timeline.at(timeline.now + delay + prng.pick([0, 5, 100]), 'manager', send);
    }
  }

  announce(): void {
    throw new Error('the SessionManager commits nothing');
  }

  follow(): () => void {
    throw new Error('the SessionManager follows nothing');
  }
}

/** The refusal in place of the answer. */
function failed(message: SessionMessage): SessionMessage {
  const error = { code: 'runtime_error' as const, message: 'not today', retryable: true, details: {} };
  const envelope = { ...message, id: `${message.id}:failed` };
  if (message.event !== 'CONTROL') return message;
  switch (message.subtype) {
    case 'ADD_AGENT_DONE':
      return MessageFactory.control('ADD_AGENT_FAILED', { error }, envelope);
    case 'REMOVE_AGENT_DONE':
      return MessageFactory.control('REMOVE_AGENT_FAILED', { ...message.payload, error }, envelope);
    case 'SESSION_OPENED':
    case 'SESSION_CLOSED':
      return MessageFactory.control('SESSION_FAILED', { error }, envelope);
    default:
      return message;
  }
}
