import type { MessageOf } from '@rostra/protocol/session/message';
import { inherited, isIn, type Question, type SessionContext, type Turn } from './context.ts';
import type { Draft } from './draft.ts';

export function questionOf(context: SessionContext, interaction_id: string): Question | null {
  return context.questions.find((question) => question.interaction_id === interaction_id) ?? null;
}

/** The live turn whose run asks this, or null. */
export function askingTurn(context: SessionContext, interaction_id: string): Turn | null {
  for (const id in context.inflight) {
    const turn = context.inflight[id];
    if (turn?.waiting.some((waiting) => waiting.interaction_id === interaction_id)) return turn;
  }
  return null;
}

export function isOpenQuestion(context: SessionContext, interaction_id: string): boolean {
  return questionOf(context, interaction_id) !== null || askingTurn(context, interaction_id) !== null;
}

export function openQuestions(context: SessionContext): number {
  const turns = Object.values(context.inflight);
  const asked = turns.flatMap(({ waiting }) => waiting.filter((each) => each.for === 'INTERACTION'));
  return context.questions.length + asked.length;
}

/**
 * A turn that was completed leaves its questions behind: the answer is what the agent's next turn is about. Whatever
 * else it asked for was for the run that is over.
 */
export function leaveQuestions(d: Draft, turn: Turn): void {
  const { turn_id, trace_id, target_agent_id: agent_id, waiting } = turn;
  if (d.context.state !== 'OPEN' || !isIn(d.context, agent_id)) return;
  const left = waiting.flatMap(({ interaction_id, until, gen, kind = 'form', purpose = 'question' }) => {
    if (interaction_id === undefined || until === null || purpose !== 'question') return [];
    return [{ interaction_id, agent_id, turn_id, trace_id, kind, until, gen, ...inherited(turn) }];
  });
  if (left.length > 0) d.set({ questions: [...d.context.questions, ...left] });
}

export function dropQuestion(d: Draft, { interaction_id }: Question): void {
  d.set({ questions: d.context.questions.filter((question) => question.interaction_id !== interaction_id) });
}

/** Nobody is left who could act upon the answers: of one agent, or of the session. */
export function closeQuestions(d: Draft, agent_id?: string): void {
  for (const question of d.context.questions) {
    if (agent_id !== undefined && question.agent_id !== agent_id) continue;
    dropQuestion(d, question);
    const { interaction_id } = question;
    d.event('INTERACTION_RESOLVED', { interaction_id, outcome: 'run_ended', answer: null, answered_by: null });
  }
}

/** Whether this timer was that of a question without a turn. */
export function questionExpired(d: Draft, timer: MessageOf<'TIMER', 'INTERACTION'>['payload']): boolean {
  const { interaction_id } = timer;
  const question = questionOf(d.context, interaction_id);
  if (question === null) return false;
  if (question.gen !== timer.gen || d.ts < question.until) return true;
  dropQuestion(d, question);
  d.event('INTERACTION_RESOLVED', { interaction_id, outcome: 'expired', answer: null, answered_by: null });
  return true;
}
