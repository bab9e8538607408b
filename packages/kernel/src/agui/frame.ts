import type { LogRecord } from '@rostra/protocol/record/record';
import type { AguiEvent } from '@rostra/protocol/run-api/agui-event';
import { type AguiView, isShown } from './agui-view.ts';
import { foldAgui } from './outbound.ts';
import { foldSession, type SessionView } from './session-view.ts';

/** The SSE frames of one record, in order; frame `n` has the id `<seq>.<n>.<epoch>`. */
export interface Framed<V = AguiView> {
  readonly view: V;
  readonly frames: readonly string[];
  /** How many of the frames lead to the first end of an AG-UI run, with that end; 0: none ends here. */
  readonly ends: number;
}

const none: readonly string[] = [];

export function frameId(seq: number, n: number, epoch: number): string {
  return `${seq}.${n}.${epoch}`;
}

/**
 * A chunk of the message that is open changes no state, and there are more of them than of all else: the frames of its
 * pieces are put together around the one string that must be escaped. Same bytes as the long way, which null asks for.
 */
export function frameChunk(view: AguiView, record: LogRecord): string[] | null {
  if (record.event !== 'AGENT_OUTPUT' || record.subtype !== 'chunk') return null;
  const { open, phase } = view;
  const { text, reasoning, message_id, more = none } = record.payload;
  if (phase !== 'started' || open?.id !== message_id || record.turn_id !== view.taskId || !isShown(record)) return null;
  const inText = open.channel === 'text' && reasoning === undefined && view.streamed === message_id;
  const inReasoning = open.channel === 'reasoning' && text === undefined && view.reasoned;
  const first = inText ? text : reasoning;
  if (!(inText || inReasoning) || !first || more.includes('')) return null;
  const { seq, epoch } = record;
  const tail = `,"timestamp":${Math.trunc(record.ts)}}\n\n`;
  const frames = [`id: ${frameId(seq, 0, epoch)}\ndata: ${open.head}${JSON.stringify(first)}${tail}`];
  for (const piece of more) {
    frames.push(`id: ${frameId(seq, frames.length, epoch)}\ndata: ${open.head}${JSON.stringify(piece)}${tail}`);
  }
  return frames;
}

function endsRun({ type }: AguiEvent): boolean {
  return type === 'RUN_FINISHED' || type === 'RUN_ERROR';
}

function framed<V>(view: V, events: readonly AguiEvent[], { seq, epoch }: LogRecord): Framed<V> {
  if (events.length === 0) return { view, frames: none, ends: 0 };
  const frames = events.map((event, n) => `id: ${frameId(seq, n, epoch)}\ndata: ${JSON.stringify(event)}\n\n`);
  return { view, frames, ends: events.findIndex(endsRun) + 1 };
}

export function frameAgui(view: AguiView, record: LogRecord): Framed {
  const chunk = frameChunk(view, record);
  if (chunk !== null) return { view, frames: chunk, ends: 0 };
  const folded = foldAgui(view, record);
  return framed(folded.view, folded.events, record);
}

/** The same for all runs of a session, one after another. */
export function frameSession(view: SessionView, record: LogRecord): Framed<SessionView> {
  const open = view.open === null ? undefined : view.tasks.get(view.open);
  const chunk = open === undefined ? null : frameChunk(open.view, record);
  if (chunk !== null) return { view, frames: chunk, ends: 0 };
  const folded = foldSession(view, record);
  return framed(folded.view, folded.events, record);
}
