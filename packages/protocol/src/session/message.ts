import { z } from 'zod';
import { Json, JsonObject } from '../wire/json.ts';
import { ControlPayloads } from './control.ts';
import { EventPayloads } from './event.ts';
import { ErrorPayloads } from './failure.ts';
import { UserInputPayload } from './input.ts';
import { OutputPayloads } from './output.ts';
import { Sender } from './sender.ts';
import { TimerPayloads } from './timer.ts';

/** Every session message there is: event, then subtype, then the schema of its payload. */
export const SessionPayloads = {
  USER_INPUT: { INPUT: UserInputPayload, MENTION: UserInputPayload },
  AGENT_OUTPUT: OutputPayloads,
  CONTROL: ControlPayloads,
  EVENT: EventPayloads,
  ERROR: ErrorPayloads,
  TIMER: TimerPayloads,
};
type Tree = typeof SessionPayloads;

export type SessionEvent = keyof Tree;
export type SubtypeOf<E extends SessionEvent> = keyof Tree[E] & string;
/** Outputs that change nothing but what is seen: neither text nor the end of the run. */
export type ObservableSubtype = Exclude<
  SubtypeOf<'AGENT_OUTPUT'>,
  'chunk' | 'message' | 'final' | 'message.started' | 'message.ended'
>;
export type PayloadOf<E extends SessionEvent, S extends SubtypeOf<E>> = Tree[E][S] extends z.ZodType
  ? z.infer<Tree[E][S]>
  : never;
/** `CONTROL:INPUT_ACK`: how a kind of message is named where one word must do (record types, handler tables). */
export type SessionKind = { [E in SessionEvent]: `${E}:${SubtypeOf<E>}` }[SessionEvent];

/** The envelope that all messages share; MessageItem adds event, subtype and payload. */
export const MessageEnvelope = z.object({
  id: z.string().min(1).max(512),
  session_id: z.string(),
  sender: Sender,
  target: z.enum(['SYSTEM', 'AGENT', 'FRONTEND', 'BROADCAST']),
  target_id: z.string().optional(),
  turn_id: z.string().optional(),
  /** The user behind a turn, for whom the agent works. */
  requested_by: z.string().optional(),
  trace_id: z.string().optional(),
  tx_id: z.string().optional(),
  /** The run that speaks and the position of this message in it: what repeats and gaps are found by. */
  run_id: z.string().optional(),
  sequence: z.number().int().nonnegative().optional(),
  visibility: z.enum(['internal', 'both']),
  metadata: JsonObject.optional(),
  /** Milliseconds, stamped by the driver when the message enters the mailbox; never earlier than the last one. */
  ts: z.number(),
  /** Position in the log, stamped by the driver. */
  seq: z.number().int().optional(),
  epoch: z.number().int().nonnegative(),
  /** This message carries the payload of the record with that `seq`; the driver fills it in when it leaves. */
  payload_of: z.number().int().optional(),
  /** On what begins a run, where the driver knows it: how far the transcript goes. Not in the log. */
  transcript_end: z.object({ seq: z.number().int().nullable(), has_before: z.boolean() }).optional(),
});
export type MessageEnvelope = z.infer<typeof MessageEnvelope>;

export type MessageOf<E extends SessionEvent, S extends SubtypeOf<E>> = MessageEnvelope & {
  event: E;
  subtype: S;
  payload: PayloadOf<E, S>;
};
/** A session message whose payload has been checked: the union over every (event, subtype). */
export type SessionMessage = {
  [E in SessionEvent]: { [S in SubtypeOf<E>]: MessageOf<E, S> }[SubtypeOf<E>];
}[SessionEvent];

/** A session message as it arrives from outside: the envelope is checked, the payload not yet. */
export const MessageItem = MessageEnvelope.extend({ event: z.string(), subtype: z.string(), payload: Json });
export type MessageItem = z.infer<typeof MessageItem>;

export function kindOf(message: { event: string; subtype: string }): string {
  return `${message.event}:${message.subtype}`;
}
