import type { LogRecord } from '@rostra/protocol/record/record';
import { type AguiView, isShown } from './agui-view.ts';
import { foldAgui } from './outbound.ts';

/** The SSE frames of one record, in order; frame `n` has the id `<seq>.<n>.<epoch>`. */
export interface Framed {
  readonly view: AguiView;
  readonly frames: readonly string[];
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

export function frameAgui(view: AguiView, record: LogRecord): Framed {
  const chunk = frameChunk(view, record);
  if (chunk !== null) return { view, frames: chunk };
  const folded = foldAgui(view, record);
  if (folded.events.length === 0) return { view: folded.view, frames: none };
  const frames = folded.events.map(
    (event, n) => `id: ${frameId(record.seq, n, record.epoch)}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  return { view: folded.view, frames };
}
