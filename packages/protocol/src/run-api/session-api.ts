import { z } from 'zod';
import { JsonObject } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';
import { InteractionSubject } from './interaction.ts';
import { TaskStatus } from './task.ts';

const time = z.string().describe('ISO-8601');
const agentId = z.string().min(1).max(limits.agent_id_chars);
const title = z.string().trim().min(1).max(limits.title_chars);

/** One session as the list shows it. */
export const SessionItem = z.object({
  id: z.string(),
  ownerId: z.string(),
  /** As it was renamed, else the beginning of the first message; null before that. */
  title: z.string().nullable(),
  isRenamed: z.boolean(),
  activeAgentId: z.string().nullable(),
  /** The last message, cut. */
  lastMessage: z.object({ role: z.string(), text: z.string(), timestamp: time }).nullable(),
  /** Runs so far, those that have not ended, and questions that wait for a person. */
  runs: z.number().int(),
  liveRuns: z.number().int(),
  openInteractions: z.number().int(),
  createdAt: time,
  updatedAt: time,
});
export type SessionItem = z.infer<typeof SessionItem>;

export const SessionMember = z.object({
  agentId: z.string(),
  /** Of an agent that the host still has. */
  name: z.string().nullable(),
  description: z.string().nullable(),
  isRemoving: z.boolean(),
  policy: z.object({ queue: z.string(), interruptible: z.boolean(), steering: z.boolean(), resumable: z.boolean() }),
});
export type SessionMember = z.infer<typeof SessionMember>;

/** A turn on its way. */
export const LiveTurn = z.object({
  taskId: z.string(),
  agentId: z.string(),
  /** The client's own name for it. */
  clientRunId: z.string().nullable(),
  /** The run that is at it; null while it waits. */
  runId: z.string().nullable(),
  attempt: z.number().int(),
  status: TaskStatus,
  /** What it waits for, e.g. `QUEUE`, `INPUT_ACK`, `INTERACTION`, `CANCEL_ACK`. */
  waitingFor: z.array(z.string()),
  requestedBy: z.string(),
  /** The record that brought its input: who follows the session from there sees all of it. */
  firstSeq: z.number().int(),
  createdAt: time,
});
export type LiveTurn = z.infer<typeof LiveTurn>;

/** A question that is open, as the session knows it; `GET /api/v1/interactions/{id}` tells all of it. */
export const PendingInteraction = z.object({
  id: z.string(),
  purpose: InteractionSubject,
  kind: z.string(),
  agentId: z.string(),
  taskId: z.string().nullable(),
  /** Handovers: who would take over. */
  targetAgentId: z.string().nullable(),
  expiresAt: time.nullable(),
});
export type PendingInteraction = z.infer<typeof PendingInteraction>;

/** A session at one moment: now, or after the record that `asOf` names. */
export const SessionSnapshot = z.object({
  id: z.string(),
  ownerId: z.string(),
  title: z.string().nullable(),
  isRenamed: z.boolean(),
  state: z.enum(['CLOSED', 'OPENING', 'OPEN', 'CLOSING']),
  agents: z.array(SessionMember),
  activeAgentId: z.string().nullable(),
  speakingAgentId: z.string().nullable(),
  /** Turns on their way, in the order of their acceptance. */
  inflight: z.array(LiveTurn),
  interactions: z.array(PendingInteraction),
  /** The record after which this is how things stood. */
  lastSeq: z.number().int(),
  /** The event id to follow the session from; null for the past. */
  lastEventId: z.string().nullable(),
  /** The past only: what agents had been told to keep, by agent, scope and key. */
  keptState: z.record(z.string(), z.record(z.string(), JsonObject)).nullable(),
  createdAt: time,
  updatedAt: time,
});
export type SessionSnapshot = z.infer<typeof SessionSnapshot>;

/** `POST /api/v1/sessions` */
export const NewSession = z
  .strictObject({
    id: z.uuid().optional().describe('Chosen by the host unless given.'),
    agents: z.array(agentId).min(1).max(limits.roster).optional().describe('The default roster unless given.'),
    activeAgentId: agentId.optional(),
    title: title.optional(),
  })
  .default({});
export type NewSession = z.infer<typeof NewSession>;

/** `PATCH /api/v1/sessions/{sessionId}` */
export const SessionChange = z.strictObject({
  title: title.nullable().describe('Null: the beginning of the first message again.'),
});
export type SessionChange = z.infer<typeof SessionChange>;

/**
 * What frontends may send to a session (RA-10.4): a closed list. Everything else, a message that says who sent it for one,
 * is refused.
 */
export const FrontendKind = z.enum([
  'USER_INPUT:INPUT',
  'USER_INPUT:MENTION',
  'CONTROL:CANCEL',
  'CONTROL:INTERRUPT',
  'CONTROL:SWITCH_AGENT',
  'CONTROL:INVITE_AGENT',
  'CONTROL:REMOVE_AGENT',
  'CONTROL:HANDOVER_CONFIRM',
  'CONTROL:HANDOVER_REJECT',
  'CONTROL:SESSION_OPEN',
  'CONTROL:SESSION_CLOSE',
]);
export type FrontendKind = z.infer<typeof FrontendKind>;

/** A frontend's USER_INPUT: words. What is attached goes through `POST /api/v1/agent/runs`. */
export const FrontendInput = z.strictObject({
  input: z.strictObject({
    text: z.string().min(1),
    contents: z.array(z.strictObject({ type: z.literal('text'), text: z.string() })).optional(),
  }),
  mentioned_agent_id: agentId.optional(),
});
export type FrontendInput = z.infer<typeof FrontendInput>;

/** A frontend's wish for another active agent; the fact that it became so is the session's to tell. */
export const FrontendSwitch = z.strictObject({ agent_id: agentId, force: z.boolean().optional() });
export type FrontendSwitch = z.infer<typeof FrontendSwitch>;

/**
 * `POST /api/v1/sessions/{sessionId}/messages`, named as in the log. Keys beside these are let through the schema, so
 * that whoever puts one in is told, and noted down.
 */
export const FrontendMessage = z.looseObject({
  id: z.string().min(1).max(limits.run_id_chars).describe('The client’s own: the same message again is known by it.'),
  event: z.string().max(64).describe('`USER_INPUT` or `CONTROL`'),
  subtype: z
    .string()
    .max(64)
    .describe(FrontendKind.options.map((kind) => `\`${kind.slice(kind.indexOf(':') + 1)}\``).join(', ')),
  payload: JsonObject.default({}),
  turn_id: z.string().min(1).max(128).optional().describe('CANCEL, INTERRUPT: the turn that is meant.'),
  tx_id: z.string().min(1).max(512).optional().describe('HANDOVER_CONFIRM, HANDOVER_REJECT: the id of the question.'),
});
export type FrontendMessage = z.infer<typeof FrontendMessage>;

/** What the session decided. */
export const MessageAccepted = z.object({
  id: z.string(),
  sessionId: z.string(),
  /** `ignored`: there was nothing to do; `known`: the same message was taken before. */
  outcome: z.enum(['accepted', 'ignored', 'known']),
  /** The turn that it made, or that it concerns. */
  taskId: z.string().nullable(),
  /** The transaction that it began or answered. */
  txId: z.string().nullable(),
});
export type MessageAccepted = z.infer<typeof MessageAccepted>;
