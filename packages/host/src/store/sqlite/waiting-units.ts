import type { TurnRow, Unit } from '../port.ts';
import type { RunRow } from '../ports/run.ts';
import { WaitingSession } from './waiting-session.ts';

/**
 * Units that are in the journal and in no table yet. Their rows are written for many of them together: a session, a turn
 * and a run are then written once instead of with each unit, and so is each page that they lie on.
 */
export class WaitingUnits {
  readonly sessions = new Map<string, WaitingSession>();
  /** As the last unit has them. */
  readonly turns = new Map<string, TurnRow>();
  readonly runs = new Map<string, RunRow>();
  /** In the order of their commits. */
  readonly units: Unit[] = [];

  add(unit: Unit): void {
    let session = this.sessions.get(unit.session_id);
    if (session === undefined) {
      session = new WaitingSession(unit);
      this.sessions.set(unit.session_id, session);
    }
    session.add(unit);
    for (const turn of unit.turns) this.turns.set(turn.turn_id, turn);
    for (const run of unit.runs) this.runs.set(run.run_id, laterRun(this.runs.get(run.run_id), run));
    this.units.push(unit);
  }
}

/** What a run began with stays, as it does in its row. */
function laterRun(earlier: RunRow | undefined, run: RunRow): RunRow {
  if (earlier === undefined) return run;
  const { turn_id, agent_id, attempt, created_at, bot_id, thread_id, first_seq } = earlier;
  return { ...run, turn_id, agent_id, attempt, created_at, bot_id, thread_id, first_seq };
}
