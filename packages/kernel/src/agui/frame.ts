import type { LogRecord } from '@rostra/protocol/record/record';
import type { AguiEvent } from '@rostra/protocol/run-api/agui-event';
import { type AguiView, isShown } from './agui-view.ts';
import { isAscii } from './ascii.ts';
import { foldAgui } from './outbound.ts';
import { foldSession, type SessionView } from './session-view.ts';

/** The SSE frames of one record as one text; frame `n` has the id `<seq>.<n>.<epoch>`. */
export interface Framed<V = AguiView> {
  readonly view: V;
  readonly text: string;
  readonly count: number;
  /** How many of the frames lead to the first end of an AG-UI run, with that end; 0: none ends here. */
  readonly ends: number;
  /** Known to have as many bytes as characters; to find that out later, a text of thousands of pieces must be put together. */
  readonly ascii: boolean;
}

const none: readonly string[] = [];
const FRAME_END = '\n\n';

/** The frames one by one. No event breaks a line within: it is JSON. */
export function framesOf({ text, count }: { readonly text: string; readonly count: number }): readonly string[] {
  if (count === 0) return none;
  if (count === 1) return [text];
  return text
    .split(FRAME_END)
    .slice(0, -1)
    .map((frame) => frame + FRAME_END);
}

export function frameId(seq: number, n: number, epoch: number): string {
  return `${seq}.${n}.${epoch}`;
}

/** ASCII that stands in JSON as it is: no quote, backslash or control character. */
const PLAIN_ASCII = /^[ !#-[\]-\x7f]*$/;
/** All that stands in JSON as it is: no half of a pair of surrogates either. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** What JSON.stringify writes between the quotes: most often the same, and to ask costs less. */
function escaped(text: string): string {
  return PLAIN.test(text) ? text : JSON.stringify(text).slice(1, -1);
}

/**
 * A chunk of the message that is open changes no state, and there are more of them than of all else: the frames of its
 * pieces are put together around the one string that must be escaped. Same bytes as the long way, which null asks for.
 */
export function frameChunk<V>(view: AguiView, record: LogRecord, whole: V): Framed<V> | null {
  if (record.event !== 'AGENT_OUTPUT' || record.subtype !== 'chunk') return null;
  const { open, phase } = view;
  const { text, reasoning, message_id, more = none } = record.payload;
  if (phase !== 'started' || open?.id !== message_id || record.turn_id !== view.taskId || !isShown(record)) return null;
  const inText = open.channel === 'text' && reasoning === undefined && view.streamed === message_id;
  const inReasoning = open.channel === 'reasoning' && text === undefined && view.reasoned;
  const first = inText ? text : reasoning;
  if (!(inText || inReasoning) || !first || more.includes('')) return null;
  const { seq, epoch } = record;
  const end = `","timestamp":${Math.trunc(record.ts)}}${FRAME_END}`;
  let ascii = PLAIN_ASCII.test(first) && open.ascii;
  const said = ascii ? first : escaped(first);
  if (more.length === 0) {
    return { view: whole, text: `id: ${seq}.0.${epoch}\ndata: ${open.head}"${said}${end}`, count: 1, ends: 0, ascii };
  }
  const id = `id: ${seq}.`;
  // Joined, so that each is one string and no rope: they go into every frame.
  const head = ['.', epoch, '\ndata: ', open.head, '"'].join('');
  const next = [end, id].join('');
  let frames = id + 0 + head + said;
  let count = 1;
  for (const piece of more) {
    ascii = ascii && PLAIN_ASCII.test(piece);
    frames = frames + next + count + head + (ascii ? piece : escaped(piece));
    count += 1;
  }
  return { view: whole, text: frames + end, count, ends: 0, ascii };
}

function endsRun({ type }: AguiEvent): boolean {
  return type === 'RUN_FINISHED' || type === 'RUN_ERROR';
}

function framed<V>(view: V, events: readonly AguiEvent[], { seq, epoch }: LogRecord): Framed<V> {
  let text = '';
  let count = 0;
  let ends = 0;
  let ascii = true;
  for (const event of events) {
    const data = JSON.stringify(event);
    text += `id: ${frameId(seq, count, epoch)}\ndata: ${data}${FRAME_END}`;
    ascii = ascii && isAscii(data);
    count += 1;
    if (ends === 0 && endsRun(event)) ends = count;
  }
  return { view, text, count, ends, ascii };
}

export function frameAgui(view: AguiView, record: LogRecord): Framed {
  const chunk = frameChunk(view, record, view);
  if (chunk !== null) return chunk;
  const folded = foldAgui(view, record);
  return framed(folded.view, folded.events, record);
}

/** The same for all runs of a session, one after another. */
export function frameSession(view: SessionView, record: LogRecord): Framed<SessionView> {
  const open = view.open === null ? undefined : view.tasks.get(view.open);
  const chunk = open === undefined ? null : frameChunk(open.view, record, view);
  if (chunk !== null) return chunk;
  const folded = foldSession(view, record);
  return framed(folded.view, folded.events, record);
}
