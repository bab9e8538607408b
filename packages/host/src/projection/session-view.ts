import type { ToldState } from '@rostra/kernel/projection/told-state';
import type { SessionContext, Turn } from '@rostra/kernel/session/context';
import type {
  LiveTurn,
  PendingInteraction,
  SessionMember,
  SessionSnapshot,
} from '@rostra/protocol/run-api/session-api';
import type { TaskStatus } from '@rostra/protocol/run-api/task';

/** What people call an agent; null for what nobody said. */
export type AgentWords = (agent_id: string) => { name: string | null; description: string | null } | null;

/** What a context tells of a session. */
export type SessionView = Pick<
  SessionSnapshot,
  'state' | 'agents' | 'activeAgentId' | 'speakingAgentId' | 'inflight' | 'interactions'
>;

export function sessionView(context: SessionContext, words: AgentWords): SessionView {
  const members = Object.values(context.agents_in_session).sort((a, b) => a.joined_seq - b.joined_seq);
  const turns = Object.values(context.inflight).sort((a, b) => a.accepted - b.accepted);
  return {
    state: context.state,
    agents: members.map(({ agent_id, st, policy }): SessionMember => {
      const { name = null, description = null } = words(agent_id) ?? {};
      const { queue, interruptible, steering, resumable } = policy;
      const rules = { queue, interruptible, steering, resumable };
      return { agentId: agent_id, name, description, isRemoving: st === 'REMOVING', policy: rules };
    }),
    activeAgentId: context.active_agent_id,
    speakingAgentId: context.speaking_agent_id,
    inflight: turns.map(liveTurn),
    interactions: [...turns.flatMap(askedIn), ...outlived(context), ...handovers(context)],
  };
}

function liveTurn(turn: Turn): LiveTurn {
  return {
    taskId: turn.turn_id,
    agentId: turn.target_agent_id,
    clientRunId: turn.client_run_id,
    runId: turn.run_id,
    attempt: turn.attempt,
    status: statusOf(turn),
    waitingFor: [...new Set(turn.waiting.map((waiting) => waiting.for))],
    requestedBy: turn.requested_by,
    firstSeq: turn.input_seq ?? turn.context_seq ?? 1,
    createdAt: timeText(turn.created_at),
  };
}

function statusOf({ run_id, paused_at }: Turn): TaskStatus {
  if (run_id === null) return 'queued';
  return paused_at === null ? 'running' : 'interrupted';
}

function askedIn({ turn_id, target_agent_id, waiting }: Turn): PendingInteraction[] {
  return waiting.flatMap(({ interaction_id: id, purpose = 'question', kind = 'form', until }) => {
    if (id === undefined) return [];
    const asked = { id, purpose, kind, agentId: target_agent_id, taskId: turn_id, targetAgentId: null };
    return [{ ...asked, expiresAt: until === null ? null : timeText(until) }];
  });
}

function outlived({ questions }: SessionContext): PendingInteraction[] {
  return questions.map(({ interaction_id: id, kind, agent_id: agentId, turn_id: taskId, until }) => {
    const asked = { id, purpose: 'question' as const, kind, agentId, taskId, targetAgentId: null };
    return { ...asked, expiresAt: timeText(until) };
  });
}

function handovers({ transactions }: SessionContext): PendingInteraction[] {
  return Object.values(transactions).flatMap((tx) => {
    if (tx.kind !== 'HANDOVER' || tx.step !== 'PROMPTED' || tx.handover === null) return [];
    return [
      {
        id: tx.tx_id,
        purpose: 'handover' as const,
        kind: 'confirmation',
        agentId: tx.handover.from_agent_id,
        taskId: tx.turn_id,
        targetAgentId: tx.agent_id,
        expiresAt: timeText(tx.until),
      },
    ];
  });
}

export function keptState(told: ToldState): NonNullable<SessionSnapshot['keptState']> {
  return Object.fromEntries(
    [...told].map(([agent_id, scopes]) => [
      agent_id,
      Object.fromEntries([...scopes].map(([scope, keys]) => [scope, Object.fromEntries(keys)])),
    ]),
  );
}

export function timeText(at: number): string {
  return new Date(at).toISOString();
}
