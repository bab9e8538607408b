import type { Turn } from './context.ts';

/** The same turn with some of it changed. Field by field: all turns have one shape, however often they were changed. */
export function changed(turn: Turn, change: Partial<Turn>): Turn {
  const copy: Turn = {
    turn_id: turn.turn_id,
    trace_id: turn.trace_id,
    requested_by: turn.requested_by,
    target_agent_id: turn.target_agent_id,
    status: turn.status,
    waiting: turn.waiting,
    created_at: turn.created_at,
    accepted: turn.accepted,
    conversation: turn.conversation,
    binding_id: turn.binding_id,
    input_seq: turn.input_seq,
    client_run_id: turn.client_run_id,
    parent: turn.parent,
    depth: turn.depth,
    pulled: turn.pulled,
    requeued: turn.requeued,
    context_seq: turn.context_seq,
    attempt: turn.attempt,
    run_id: turn.run_id,
    is_lost: turn.is_lost,
    gen: turn.gen,
    dispatched_at: turn.dispatched_at,
    turn_until: turn.turn_until,
    paused_at: turn.paused_at,
    last_output_at: turn.last_output_at,
    first_output_at: turn.first_output_at,
    next_sequence: turn.next_sequence,
    next_chunk: turn.next_chunk,
    output_bytes: turn.output_bytes,
    open_message_id: turn.open_message_id,
    open_calls: turn.open_calls,
    collected_output: turn.collected_output,
    cancel: turn.cancel,
  };
  return Object.assign(copy, change);
}
