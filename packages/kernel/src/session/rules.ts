import type { MessageOf, SessionEvent, SessionMessage, SubtypeOf } from '@rostra/protocol/session/message';
import type { Sender } from '@rostra/protocol/session/sender';
import { onChunk, onFinal, onMessage, onObservable, onRunFailed } from './agent-output.ts';
import { onBudgetNotice } from './budget-notice.ts';
import { onCancelRequest } from './cancel-request.ts';
import { own } from './context.ts';
import type { Draft } from './draft.ts';
import { onInteractionAnswered, onInteractionRequested } from './interaction.ts';
import { onCancelAck, onInputAck, onRunAlive } from './output-order.ts';
import { onQuarantined } from './quarantine.ts';
import { onCreated, onRecovered } from './recover.ts';
import { onSteeringPulled } from './steering.ts';
import { onSwitchRequest } from './switch-agent.ts';
import { onTurnTimer, onTxTimer } from './timer.ts';
import { onCancel, onCancelReport } from './transactions/cancel.ts';
import { onClose, onClosed, onSessionFailed } from './transactions/close.ts';
import { onHandoverConfirm, onHandoverReject, onHandoverRequest } from './transactions/handover.ts';
import { onAddDone, onAddFailed, onInvite } from './transactions/invite.ts';
import { onOpen, onOpened } from './transactions/open.ts';
import { onRemove, onRemoveDone, onRemoveFailed } from './transactions/remove.ts';
import { onUserInput } from './user-input.ts';

/** `owner` is a user with that role; `user` an owner or participant. Observers may send nothing. */
type From = Exclude<Sender['kind'], 'session'> | 'owner';
type Rule<Message> = [from: From, decide: (d: Draft, message: Message) => void];
type Rules = { [E in SessionEvent]: { [S in SubtypeOf<E>]?: Rule<MessageOf<E, S>> } };

/** Who may send what, and what it does (SR-INV-M5). A kind without a rule is the session's own to publish. */
const rules: Rules = {
  USER_INPUT: { INPUT: ['user', onUserInput], MENTION: ['user', onUserInput] },
  AGENT_OUTPUT: {
    chunk: ['agent', onChunk],
    message: ['agent', onMessage],
    final: ['agent', onFinal],
    'tool.call.started': ['agent', onObservable],
    'tool.call.completed': ['agent', onObservable],
    'artifact.created': ['agent', onObservable],
    'state.updated': ['agent', onObservable],
    'action.requested': ['agent', onObservable],
    'message.edited': ['agent', onObservable],
    'message.deleted': ['agent', onObservable],
  },
  CONTROL: {
    CANCEL: ['user', onCancel],
    INTERRUPT: ['user', onCancel],
    SWITCH_AGENT: ['user', onSwitchRequest],
    HANDOVER_CONFIRM: ['user', onHandoverConfirm],
    HANDOVER_REJECT: ['user', onHandoverReject],
    INTERACTION_ANSWERED: ['user', onInteractionAnswered],
    INVITE_AGENT: ['owner', onInvite],
    REMOVE_AGENT: ['owner', onRemove],
    SESSION_OPEN: ['owner', onOpen],
    SESSION_CLOSE: ['owner', onClose],
    INPUT_ACK: ['agent', onInputAck],
    HANDOVER_ACCEPTED: ['agent', onInputAck],
    CANCEL_ACK: ['agent', onCancelAck],
    RUN_ALIVE: ['agent', onRunAlive],
    CANCEL_REPORT: ['agent', onCancelReport],
    HANDOVER_REQUEST: ['agent', onHandoverRequest],
    INTERACTION_REQUESTED: ['agent', onInteractionRequested],
    STEERING_PULLED: ['agent', onSteeringPulled],
    CANCEL_REQUEST: ['agent', onCancelRequest],
    BUDGET_NOTICE: ['agent', onBudgetNotice],
    ADD_AGENT_DONE: ['session_manager', onAddDone],
    ADD_AGENT_FAILED: ['session_manager', onAddFailed],
    REMOVE_AGENT_DONE: ['session_manager', onRemoveDone],
    REMOVE_AGENT_FAILED: ['session_manager', onRemoveFailed],
    SESSION_OPENED: ['session_manager', onOpened],
    SESSION_CLOSED: ['session_manager', onClosed],
    SESSION_FAILED: ['session_manager', onSessionFailed],
    SESSION_CREATED: ['driver', onCreated],
    SESSION_RECOVERED: ['driver', onRecovered],
    SESSION_QUARANTINED: ['driver', onQuarantined],
  },
  EVENT: { STREAM_STOPPED: ['agent', onCancelAck] },
  ERROR: { RUN_FAILED: ['agent', onRunFailed] },
  TIMER: {
    INPUT_ACK: ['driver', onTurnTimer],
    CANCEL_ACK: ['driver', onTurnTimer],
    QUEUE: ['driver', onTurnTimer],
    IDLE: ['driver', onTurnTimer],
    TURN: ['driver', onTurnTimer],
    INTERACTION: ['driver', onTurnTimer],
    TX: ['driver', onTxTimer],
  },
};

/** The rule for this message, or null: an unknown kind, or a sender without the authority for it. */
export function ruleFor(message: SessionMessage): ((d: Draft, message: SessionMessage) => void) | null {
  // Looked up by two fields at once, which the compiler cannot follow; the table itself is checked above.
  const table: Record<string, Record<string, Rule<never>>> = rules;
  const rule = own(own(table, message.event) ?? {}, message.subtype);
  if (rule === undefined || !allows(rule[0], message.sender)) return null;
  return rule[1] as (d: Draft, message: SessionMessage) => void;
}

function allows(from: From, { kind, role }: Sender): boolean {
  if (from === 'owner') return kind === 'user' && role === 'owner';
  if (from === 'user') return kind === 'user' && (role === 'owner' || role === 'participant');
  return from === kind;
}
