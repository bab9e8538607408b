import { interactionSubmitted } from '@rostra/protocol/session/event-name';
import type { TurnEvent } from '@rostra/protocol/session/input';
import type { MessageOf } from '@rostra/protocol/session/message';
import { dispatchedTurn, inherited, pendingTransaction, type Question, type SessionContext } from './context.ts';
import type { Draft } from './draft.ts';
import { dropQuestion } from './question.ts';
import { dispatch, enqueue, newTurn } from './turn.ts';
import { queueHasRoom } from './user-input.ts';

type Answered = MessageOf<'CONTROL', 'INTERACTION_ANSWERED'>;

/**
 * The answer to a question whose turn is over starts a turn of the agent that asked, queued like any input. A queue
 * without room refuses the answer, and the question stays open.
 */
export function submitAnswer(d: Draft, question: Question, message: Answered): void {
  if (!queueHasRoom(d)) return;
  if (message.seq === undefined) throw new Error('an answer without a place in the log');
  const { interaction_id, action_id, values, client_run_id = null } = message.payload;
  const { agent_id, trace_id } = question;
  const answered_by = message.sender.id;
  dropQuestion(d, question);
  d.event('INTERACTION_RESOLVED', {
    interaction_id,
    outcome: 'answered',
    answer: { action_id, values },
    answered_by,
  });
  const isFree = canDispatch(d.context);
  const turn = newTurn(d, {
    // A client's own name for its message may be the name of another client's in another session.
    turn_id: message.turn_id ?? `${message.id}.turn`,
    trace_id,
    requested_by: answered_by,
    target_agent_id: agent_id,
    waiting: [],
    ...inherited(question),
    // It is published after TURN_ACCEPTED: the log holds the input at this place.
    input_seq: message.seq + 1 + d.publish.length + 1,
    client_run_id,
    parent: null,
    depth: 0,
  });
  d.setTurn(turn);
  const state = isFree ? 'dispatched' : 'queued';
  d.event('TURN_ACCEPTED', { agent_id, state, parent_turn_id: null, client_run_id }, { turn });
  d.eventInput(turn, submitted(question, message));
  if (isFree) dispatch(d, turn);
  else enqueue(d, turn);
}

function canDispatch(context: SessionContext): boolean {
  const handing = pendingTransaction(context, 'HANDOVER', (tx) => tx.step === 'STOPPING') !== null;
  return context.state === 'OPEN' && dispatchedTurn(context) === null && context.queue.length === 0 && !handing;
}

function submitted({ kind, conversation, binding_id }: Question, { id, ts, sender, payload }: Answered): TurnEvent {
  const { interaction_id, action_id, values } = payload;
  return {
    event_id: id,
    event_type: interactionSubmitted,
    event_time: Math.floor(ts / 1000),
    source: 'inbox',
    source_event_type: null,
    raw_ref: null,
    data: { interaction_id, action_id, values, request_kind: kind },
    trigger_source: 'webui',
    conversation: conversation === undefined ? null : { ...conversation, launcher_type: null, launcher_id: null },
    actor: { actor_type: 'user', actor_id: sender.id, actor_name: null, metadata: {} },
    subject: { subject_type: 'interaction', subject_id: interaction_id, data: {} },
    delivery: null,
    adapter: null,
    ...(binding_id !== undefined && { binding_id }),
  };
}
