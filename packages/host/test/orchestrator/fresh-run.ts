import { newRun, sendRun } from '@rostra/kernel/run/run';

const identity = {
  run_id: 't1.1',
  turn_id: 't1',
  session_id: 's1',
  agent_id: 'guide',
  trace_id: 'trace-1',
  epoch: 3,
  sender: { kind: 'agent' as const, id: 'guide' },
};
/** A run that was sent and has said nothing yet. */
export const fresh = sendRun(newRun(identity, 1000));
