import type { RunIdentity } from '@rostra/kernel/run/run';

export const identity: RunIdentity = {
  run_id: 't1.1',
  turn_id: 't1',
  session_id: 's1',
  agent_id: 'guide',
  trace_id: 'trace-1',
  epoch: 3,
  sender: { kind: 'agent', id: 'guide' },
};
