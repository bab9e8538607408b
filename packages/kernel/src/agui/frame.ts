import type { LogRecord } from '@rostra/protocol/record/record';
import { type AguiView, isShown } from './agui-view.ts';
import { foldAgui } from './outbound.ts';

/** The SSE frames of one record, in order; frame `n` has the id `<seq>.<n>.<epoch>`. */
export interface Framed {
  readonly view: AguiView;
  readonly frames: readonly string[];
}

const nothing: readonly string[] = [];

export function frameId(seq: number, n: number, epoch: number): string {
  return `${seq}.${n}.${epoch}`;
}

/**
 * A chunk of the message that is open changes no state, and there are fifty of them for each other record: its frame is
 * put together around the one string that must be escaped. Same bytes as the long way, which null asks for.
 */
export function frameChunk(view: AguiView, record: LogRecord): string | null {
  if (record.event !== 'AGENT_OUTPUT' || record.subtype !== 'chunk') return null;
  const { open, phase } = view;
  const { text, reasoning, message_id } = record.payload;
  if (phase !== 'started' || open?.id !== message_id || record.turn_id !== view.taskId || !isShown(record)) return null;
  const inText = open.channel === 'text' && reasoning === undefined && view.streamed === message_id;
  const inReasoning = open.channel === 'reasoning' && text === undefined && view.reasoned;
  const delta = inText ? text : reasoning;
  if (!(inText || inReasoning) || delta === undefined || delta === '') return null;
  const id = frameId(record.seq, 0, record.epoch);
  return `id: ${id}\ndata: ${open.head}${record.said ?? JSON.stringify(delta)},"timestamp":${Math.trunc(record.ts)}}\n\n`;
}

export function frameAgui(view: AguiView, record: LogRecord): Framed {
  const chunk = frameChunk(view, record);
  if (chunk !== null) return { view, frames: [chunk] };
  const folded = foldAgui(view, record);
  if (folded.events.length === 0) return { view: folded.view, frames: nothing };
  const frames = folded.events.map(
    (event, n) => `id: ${frameId(record.seq, n, record.epoch)}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  return { view: folded.view, frames };
}
