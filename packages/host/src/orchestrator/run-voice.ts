import type { MessageOf, PayloadOf, SubtypeOf } from '@rostra/protocol/session/message';
import type { ActiveRun } from './run-charter.ts';
import type { Failure } from './run-message.ts';

type Control<S extends SubtypeOf<'CONTROL'>> = S;
type Output<S extends SubtypeOf<'AGENT_OUTPUT'>> = S;

/** What the host says in the name of a run, beside what the run's own results become. */
export type VoicedSubtype = Control<'BUDGET_NOTICE' | 'HANDOVER_REQUEST' | 'INTERACTION_REQUESTED'>;
export type ActedSubtype = Output<'action.requested' | 'message.edited' | 'message.deleted' | 'state.updated'>;

/** What a session tells a live run. */
export type RunNotice =
  | MessageOf<'CONTROL', 'INTERACTION_ANSWERED'>
  | MessageOf<'CONTROL', 'INTERACTION_EXPIRED'>
  | MessageOf<'CONTROL', 'HANDOVER_REJECTED'>;

export type RunListener = (run: ActiveRun, notice: RunNotice) => void;

/** Speaks for live runs. What concerns a run that is over does nothing and answers false. */
export interface RunVoice {
  find(run_id: string): ActiveRun | null;
  /**
   * A message of the run's agent to its session, numbered like the run's results and in order with them. A question
   * holds the run's deadline until it is answered.
   */
  tell<S extends VoicedSubtype>(run_id: string, subtype: S, payload: PayloadOf<'CONTROL', S>): boolean;
  /** The same for what the run did by a proxied call and others are to see. */
  act<S extends ActedSubtype>(run_id: string, subtype: S, payload: PayloadOf<'AGENT_OUTPUT', S>): boolean;
  /** Ends the run; its runner is made to stop. */
  fail(run_id: string, failure: Failure): boolean;
  /** The deadline stands still while a person is asked (SR-D49), and runs on when the last question is closed. */
  pause(run_id: string, interaction_id: string): boolean;
  resume(run_id: string, interaction_id: string): boolean;
  /** Hears what sessions tell live runs; returns how to stop that. */
  watch(listener: RunListener): () => void;
}
