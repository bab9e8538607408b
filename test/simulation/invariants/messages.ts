/** M: who is heard, and how often. */

import type { SessionMessage } from '@rostra/protocol/session/message';
import type { Invariant } from './invariant.ts';

type Speaker = 'user' | 'owner' | 'agent' | 'session_manager' | 'driver';

/** Who may send what, written down a second time. */
const authority: Readonly<Record<string, Speaker>> = {
  'USER_INPUT:INPUT': 'user',
  'USER_INPUT:MENTION': 'user',
  'AGENT_OUTPUT:chunk': 'agent',
  'AGENT_OUTPUT:message': 'agent',
  'AGENT_OUTPUT:final': 'agent',
  'AGENT_OUTPUT:tool.call.started': 'agent',
  'AGENT_OUTPUT:tool.call.completed': 'agent',
  'AGENT_OUTPUT:artifact.created': 'agent',
  'AGENT_OUTPUT:state.updated': 'agent',
  'AGENT_OUTPUT:action.requested': 'agent',
  'AGENT_OUTPUT:message.edited': 'agent',
  'AGENT_OUTPUT:message.deleted': 'agent',
  'CONTROL:CANCEL': 'user',
  'CONTROL:INTERRUPT': 'user',
  'CONTROL:SWITCH_AGENT': 'user',
  'CONTROL:HANDOVER_CONFIRM': 'user',
  'CONTROL:HANDOVER_REJECT': 'user',
  'CONTROL:INTERACTION_ANSWERED': 'user',
  'CONTROL:INVITE_AGENT': 'owner',
  'CONTROL:REMOVE_AGENT': 'owner',
  'CONTROL:SESSION_OPEN': 'owner',
  'CONTROL:SESSION_CLOSE': 'owner',
  'CONTROL:INPUT_ACK': 'agent',
  'CONTROL:CANCEL_ACK': 'agent',
  'CONTROL:HANDOVER_ACCEPTED': 'agent',
  'CONTROL:HANDOVER_REQUEST': 'agent',
  'CONTROL:INTERACTION_REQUESTED': 'agent',
  'CONTROL:STEERING_PULLED': 'agent',
  'CONTROL:CANCEL_REQUEST': 'agent',
  'CONTROL:BUDGET_NOTICE': 'agent',
  'CONTROL:RUN_ALIVE': 'agent',
  'CONTROL:CANCEL_REPORT': 'agent',
  'EVENT:STREAM_STOPPED': 'agent',
  'ERROR:RUN_FAILED': 'agent',
  'CONTROL:ADD_AGENT_DONE': 'session_manager',
  'CONTROL:ADD_AGENT_FAILED': 'session_manager',
  'CONTROL:REMOVE_AGENT_DONE': 'session_manager',
  'CONTROL:REMOVE_AGENT_FAILED': 'session_manager',
  'CONTROL:SESSION_OPENED': 'session_manager',
  'CONTROL:SESSION_CLOSED': 'session_manager',
  'CONTROL:SESSION_FAILED': 'session_manager',
  'CONTROL:SESSION_CREATED': 'driver',
  'CONTROL:SESSION_RECOVERED': 'driver',
  'CONTROL:SESSION_QUARANTINED': 'driver',
  'TIMER:INPUT_ACK': 'driver',
  'TIMER:CANCEL_ACK': 'driver',
  'TIMER:QUEUE': 'driver',
  'TIMER:IDLE': 'driver',
  'TIMER:TURN': 'driver',
  'TIMER:INTERACTION': 'driver',
  'TIMER:TX': 'driver',
};

function isAllowed({ event, subtype, sender }: SessionMessage): boolean {
  const wanted = authority[`${event}:${subtype}`];
  if (wanted === 'owner') return sender.kind === 'user' && sender.role === 'owner';
  if (wanted === 'user') return sender.kind === 'user' && (sender.role === 'owner' || sender.role === 'participant');
  return wanted === sender.kind;
}

/** A sign of life says the same however often it comes; an input that was refused may be tried again. */
function mayRepeat({ event, subtype }: SessionMessage, wasTurn: boolean): boolean {
  return subtype === 'RUN_ALIVE' || (event === 'USER_INPUT' && !wasTurn);
}

export const messageInvariants: readonly Invariant[] = [
  {
    id: 'M1',
    check({ ledger, message }, say) {
      if (!ledger.taken.has(message.id)) return;
      const turn = ledger.turns.get(message.turn_id ?? message.id);
      if (!mayRepeat(message, turn?.input_id === message.id)) say.broken(`${message.id} had an effect twice`);
    },
    ignored({ ledger, message }, say) {
      if (ledger.taken.has(message.id)) say.met();
    },
  },
  {
    id: 'M2',
    parts: ['run'],
    check({ ledger, message }, say) {
      const { kind } = message.sender;
      if (kind !== 'agent' && kind !== 'session_manager') return;
      if (message.epoch !== ledger.epoch) say.broken(`${message.id} of epoch ${message.epoch} was heard`);
      const turn = ledger.turns.get(message.turn_id ?? '');
      if (kind === 'agent' && turn?.run_id !== message.run_id) say.broken(`${message.id} of another run was heard`);
    },
    ignored({ ledger, message }, say) {
      const { kind } = message.sender;
      if (kind !== 'agent' && kind !== 'session_manager') return;
      if (message.epoch !== ledger.epoch) say.met();
      const turn = ledger.live.get(message.turn_id ?? '');
      if (kind === 'agent' && turn !== undefined && turn.run_id !== message.run_id) say.met('run');
    },
  },
  {
    id: 'M3',
    check({ message }, say) {
      if (message.sender.kind === 'session') say.broken(`the echo ${message.id} had an effect`);
    },
    ignored({ message }, say) {
      if (message.sender.kind === 'session') say.met();
    },
  },
  {
    id: 'M4',
    check({ message }, say) {
      if (authority[`${message.event}:${message.subtype}`] === undefined)
        say.broken(`${message.subtype} had an effect`);
    },
    ignored({ message }, say) {
      if (authority[`${message.event}:${message.subtype}`] === undefined) say.met();
    },
  },
  {
    id: 'M5',
    check({ message, ledger }, say) {
      if (!isAllowed(message)) say.broken(`${message.sender.kind} ${message.sender.role} sent ${message.subtype}`);
      if (message.sender.kind !== 'agent') return;
      const turn = ledger.turns.get(message.turn_id ?? '');
      if (turn?.agent !== message.sender.id) say.broken(`${message.sender.id} is heard for ${turn?.agent}`);
    },
    ignored({ message }, say) {
      if (!isAllowed(message)) say.met();
    },
  },
];
