import type { MemorySession } from '@rostra/host/store/memory/memory-tables';
import type { Oracle, Verdict } from '../invariants/oracle.ts';
import type { Decisions } from './decisions.ts';
import type { FaultCount } from './fault-count.ts';
import type { Profile } from './profile.ts';
import type { SimHost } from './sim-host.ts';
import type { Timeline } from './timeline.ts';
import type { UserDesk } from './user-desk.ts';

/** What everybody in a schedule shares. */
export interface Scene {
  readonly timeline: Timeline;
  readonly decisions: Decisions;
  readonly faults: FaultCount;
  readonly verdict: Verdict;
  readonly profile: Profile;
  readonly desk: UserDesk;
  /** Sessions whose log was damaged: they are read-only. */
  readonly corrupted: ReadonlySet<string>;
  /** The process that a client of this session reaches with this request; null while there is none. */
  reach(session_id: string, name: string): SimHost | null;
  oracle(session_id: string): Oracle;
  stored(session_id: string): MemorySession | undefined;
}
