import type { Sender } from '@rostra/protocol/session/sender';

/** One of everybody who can be stamped as the sender of a message. */
export const senders: Record<string, Sender> = {
  owner: { kind: 'user', id: 'owner', role: 'owner' },
  participant: { kind: 'user', id: 'guest', role: 'participant' },
  observer: { kind: 'user', id: 'watcher', role: 'observer' },
  'user without a role': { kind: 'user', id: 'nobody' },
  agent: { kind: 'agent', id: 'a' },
  'another agent': { kind: 'agent', id: 'b' },
  session_manager: { kind: 'session_manager', id: 'session_manager' },
  driver: { kind: 'driver', id: 'driver' },
  session: { kind: 'session', id: 'thread-1' },
};

const users = ['owner', 'participant'];
const fromOwner = ['INVITE_AGENT', 'REMOVE_AGENT', 'SESSION_OPEN', 'SESSION_CLOSE'];
const fromManager = ['SESSION_OPENED', 'SESSION_CLOSED', 'SESSION_FAILED'];
const fromDriver = ['SESSION_CREATED', 'SESSION_RECOVERED', 'SESSION_QUARANTINED'];
const fromAgent = [
  'INPUT_ACK',
  'HANDOVER_ACCEPTED',
  'CANCEL_ACK',
  'RUN_ALIVE',
  'HANDOVER_REQUEST',
  'INTERACTION_REQUESTED',
  'STEERING_PULLED',
  'CANCEL_REQUEST',
  'BUDGET_NOTICE',
  'CANCEL_REPORT',
];

/** Who may send a kind, said a second time and in other words than the kernel's table (SR-INV-M5). */
export function mayBeSentBy(kind: string): string[] {
  const [event, subtype = ''] = kind.split(':');
  if (event === 'TIMER' || fromDriver.includes(subtype)) return ['driver'];
  if (event === 'AGENT_OUTPUT' || event === 'ERROR' || event === 'EVENT' || fromAgent.includes(subtype))
    return ['agent'];
  if (fromOwner.includes(subtype)) return ['owner'];
  if (fromManager.includes(subtype) || /^(ADD|REMOVE)_AGENT_(DONE|FAILED)$/.test(subtype)) return ['session_manager'];
  return users;
}
