import type { ProcessSharing } from '@rostra/protocol/config/agent-config';

/**
 * What is done to the process of a run that did not stop when it was told to. One that has only this run is killed. One
 * that others share is asked for a sign of life: if its loop turns, it drains and its other runs end in peace; if not,
 * they are stuck with it and it is killed now.
 *
 * | runs that share it | not asked | answered | no answer |
 * | ------------------ | --------- | -------- | --------- |
 * | this one           | kill      | kill     | kill      |
 * | others too         | ping      | drain    | kill      |
 */
export function forcedStop(sharing: ProcessSharing, answered: boolean | null): 'ping' | 'drain' | 'kill' {
  if (sharing === 'run') return 'kill';
  if (answered === null) return 'ping';
  return answered ? 'drain' : 'kill';
}
