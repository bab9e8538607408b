/** M: who is heard, and how often. */

import type { SessionMessage } from '@rostra/protocol/session/message';
import type { Invariant } from './invariant.ts';

type Speaker = 'user' | 'owner' | 'agent' | 'session_manager' | 'driver';

/** Who may send what, written down a second time. */
const authority: Readonly<Record<string, Readonly<Record<string, Speaker>>>> = {
  USER_INPUT: {
    INPUT: 'user',
    MENTION: 'user',
  },
  AGENT_OUTPUT: {
    chunk: 'agent',
    message: 'agent',
    final: 'agent',
    'tool.call.started': 'agent',
    'tool.call.completed': 'agent',
    'artifact.created': 'agent',
    'state.updated': 'agent',
    'action.requested': 'agent',
    'message.edited': 'agent',
    'message.deleted': 'agent',
  },
  CONTROL: {
    CANCEL: 'user',
    INTERRUPT: 'user',
    SWITCH_AGENT: 'user',
    HANDOVER_CONFIRM: 'user',
    HANDOVER_REJECT: 'user',
    INTERACTION_ANSWERED: 'user',
    INVITE_AGENT: 'owner',
    REMOVE_AGENT: 'owner',
    SESSION_OPEN: 'owner',
    SESSION_CLOSE: 'owner',
    INPUT_ACK: 'agent',
    CANCEL_ACK: 'agent',
    HANDOVER_ACCEPTED: 'agent',
    HANDOVER_REQUEST: 'agent',
    INTERACTION_REQUESTED: 'agent',
    STEERING_PULLED: 'agent',
    CANCEL_REQUEST: 'agent',
    BUDGET_NOTICE: 'agent',
    RUN_ALIVE: 'agent',
    CANCEL_REPORT: 'agent',
    ADD_AGENT_DONE: 'session_manager',
    ADD_AGENT_FAILED: 'session_manager',
    REMOVE_AGENT_DONE: 'session_manager',
    REMOVE_AGENT_FAILED: 'session_manager',
    SESSION_OPENED: 'session_manager',
    SESSION_CLOSED: 'session_manager',
    SESSION_FAILED: 'session_manager',
    SESSION_CREATED: 'driver',
    SESSION_RECOVERED: 'driver',
    SESSION_QUARANTINED: 'driver',
  },
  EVENT: {
    STREAM_STOPPED: 'agent',
  },
  ERROR: {
    RUN_FAILED: 'agent',
  },
  TIMER: {
    INPUT_ACK: 'driver',
    CANCEL_ACK: 'driver',
    QUEUE: 'driver',
    IDLE: 'driver',
    TURN: 'driver',
    INTERACTION: 'driver',
    TX: 'driver',
  },
};

function speakerOf({ event, subtype }: SessionMessage): Speaker | undefined {
  return authority[event]?.[subtype];
}

function isAllowed(message: SessionMessage): boolean {
  const { sender } = message;
  const wanted = speakerOf(message);
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
      if (speakerOf(message) === undefined) say.broken(`${message.subtype} had an effect`);
    },
    ignored({ message }, say) {
      if (speakerOf(message) === undefined) say.met();
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
