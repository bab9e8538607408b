import { isIn, isWaitingFor, own, type SessionContext, type Turn } from './context.ts';

/** A step that broke an invariant: a bug. The driver keeps the context from before it. */
export class InvariantError extends Error {
  readonly invariant: string;
  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`);
    this.name = 'InvariantError';
    this.invariant = invariant;
  }
}

function assert(holds: boolean, invariant: string, message: string): void {
  if (!holds) throw new InvariantError(invariant, message);
}

/** The invariants that are cheap enough to check after every step in production: S2, S3, S4, A1, T4 and T9. */
export function assertStep(before: SessionContext, after: SessionContext): void {
  if (before === after || isOnlySpeech(before, after)) return;
  const dispatched = assertTurns(before, after);
  const { active_agent_id: active } = after;
  assert(active === null || isIn(after, active), 'A1', `active ${active} is not in the session`);
  assertNothingLeft(after, dispatched);
}

/** A chunk that was merely forwarded leaves everything that is asserted here as it was. */
function isOnlySpeech(before: SessionContext, after: SessionContext): boolean {
  return (
    after.speech !== null &&
    before.inflight === after.inflight &&
    before.queue === after.queue &&
    before.transactions === after.transactions &&
    before.agents_in_session === after.agents_in_session &&
    before.active_agent_id === after.active_agent_id &&
    before.speaking_agent_id === after.speaking_agent_id &&
    before.user_interruptible === after.user_interruptible
  );
}

/** In one pass over the turns; returns how many of them are dispatched. */
function assertTurns(before: SessionContext, after: SessionContext): number {
  const { speaking_agent_id: speaking, inflight } = after;
  let dispatched = 0;
  let voices = 0;
  for (const id in inflight) {
    const turn = inflight[id];
    if (turn === undefined) continue;
    if (turn.run_id !== null) dispatched += 1;
    const speaks = turn.status === 'RUNNING' && turn.first_output_at !== null;
    if (speaks) voices += 1;
    assert(!speaks || turn.target_agent_id === speaking, 'S2', `${turn.target_agent_id} speaks out of turn`);
    const was = own(before.inflight, id);
    if (turn !== was) assertTurn(was, turn);
  }
  assert(voices === (speaking === null ? 0 : 1), 'S2', `${voices} turns speak while speaking is ${speaking}`);
  assert(speaking === null || own(after.agents_in_session, speaking) !== undefined, 'S3', `${speaking} is no member`);
  assert(dispatched <= 1, 'S4', `${dispatched} turns are dispatched at once`);
  return dispatched;
}

function assertTurn(before: Turn | undefined, after: Turn): void {
  assert(before?.status !== 'RUNNING' || after.status === 'RUNNING', 'T4', `${after.turn_id} went back to ROUTING`);
  assert(before === undefined || before.target_agent_id === after.target_agent_id, 'T6', 'a turn changed its agent');
  const dispatched = after.run_id !== null;
  assert(dispatched || after.status === 'ROUTING', 'T4', `${after.turn_id} runs without a run`);
  assert(!dispatched || !isWaitingFor(after, 'QUEUE'), 'S4', `${after.turn_id} is dispatched and queued`);
}

/** Nothing may refer to a turn that has ended: no place in the queue, no cancel, no right to interrupt it. */
function assertNothingLeft(after: SessionContext, dispatched: number): void {
  for (const id of after.queue) assert(own(after.inflight, id) !== undefined, 'T9', `${id} ended in the queue`);
  for (const id in after.transactions) {
    const tx = after.transactions[id];
    if (tx?.kind !== 'CANCEL') continue;
    assert(own(after.inflight, tx.turn_id) !== undefined, 'T9', `${tx.turn_id} ended while being cancelled`);
  }
  assert(!after.user_interruptible || dispatched > 0, 'S5', 'nothing is there to interrupt');
}
