import type { TranscriptFold } from '@rostra/kernel/projection/transcript';
import type { SessionContext } from '@rostra/kernel/session/context';
import type { Owed } from '@rostra/kernel/session/outbox';
import type { SessionNames, TurnRow } from '../store/port.ts';
import type { TurnInputs } from './turn-inputs.ts';

/** Who a session belongs to. */
export interface Ownership {
  workspace_id: string;
  owner_id: string;
}

/** A session as its driver takes it over: new, or folded from what the store had. */
export interface DriverStart {
  ownership: Ownership;
  context: SessionContext;
  epoch: number;
  last_seq: number;
  saved_seq: number;
  /** Nothing of it is in the store yet. */
  isNew: boolean;
  /** What messages from before are called; null where there are too many to tell. */
  names: SessionNames | null;
  turns: TurnRow[];
  outbox: Map<number, Owed>;
  /** Inputs of live turns. */
  inputs: TurnInputs;
  transcript: TranscriptFold;
}
