import type { TurnRun } from './turn-run.ts';

type Stream = ReturnType<TurnRun['tools']['api']['models']['stream']>;
type Piece = Stream extends AsyncIterable<infer P> ? P : never;

/** So many pieces wait as they are. */
const WAITING = 64;
/** What is joined stays far below what a result may hold. */
const JOINED_CHARS = 16 * 1024;

/**
 * The pieces of an answer, taken in as they come however slowly they can be passed on: a host that has yet to write down
 * what was said holds the run back, not the model. What has to wait is joined.
 */
export async function* gathered(stream: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  const waiting: Piece[] = [];
  let isOver = false;
  let wake = (): void => undefined;
  const reading = (async () => {
    for await (const piece of stream) {
      add(waiting, piece);
      wake();
    }
  })();
  const end = () => {
    isOver = true;
    wake();
  };
  reading.then(end, end);
  for (;;) {
    const next = waiting.shift();
    if (next !== undefined) yield next;
    else if (isOver) break;
    else await new Promise<void>((resolve) => (wake = resolve));
  }
  await reading;
}

function add(waiting: Piece[], piece: Piece): void {
  const last = waiting.length < WAITING ? undefined : waiting.at(-1);
  const both = last === undefined ? null : joined(last, piece);
  if (both === null) waiting.push(piece);
  else waiting[waiting.length - 1] = both;
}

/** Text with text, thoughts with thoughts; null for what must stay as it is. */
function joined(one: Piece, other: Piece): Piece | null {
  if (one.tool_calls !== undefined || other.tool_calls !== undefined) return null;
  const isText = !one.reasoning_content && !other.reasoning_content;
  const isThought = !one.content && !other.content;
  const content = (one.content ?? '') + (other.content ?? '');
  const reasoning_content = (one.reasoning_content ?? '') + (other.reasoning_content ?? '');
  if (isText === isThought || content.length + reasoning_content.length > JOINED_CHARS) return null;
  return { ...other, ...(isText ? { content } : { reasoning_content }) };
}
