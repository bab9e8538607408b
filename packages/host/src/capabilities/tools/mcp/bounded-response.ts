import type { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { LineReader } from '@rostra/transport/line-reader';
import { readableMessage } from './message-gauge.ts';

export interface ResponseWatch {
  /** What a response that breaks the bounds is refused with; whoever is asked for it cuts the connection. */
  readonly refuse: (fault: 'too_large' | 'unreadable') => ApiError;
  /** A stream of events is over, whatever ended it; whether it can be resumed where it was. */
  readonly ended: (resumable: boolean) => void;
}

/** What of a response goes on: nothing that asks for credentials, tells of a login or is larger than a message. */
export async function boundedResponse(response: Response, watch: ResponseWatch): Promise<Response> {
  if (!response.ok) {
    await response.body?.cancel();
    return new Response(null, { status: response.status, headers: pick(response.headers, ['location']) });
  }
  const headers = pick(response.headers, ['content-type', 'mcp-session-id']);
  const { status, body } = response;
  if (body === null) return new Response(null, { status, headers });
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) {
    return new Response(ReadableStream.from(wholeEvents(body, watch)), { status, headers });
  }
  const text = await wholeText(body, watch);
  const readable = text === '' ? '' : readableMessage(text);
  if (readable === null) throw watch.refuse('unreadable');
  return new Response(readable, { status, headers });
}

function pick(headers: Headers, names: readonly string[]): Headers {
  const picked = new Headers();
  for (const name of names) {
    const value = headers.get(name);
    if (value !== null) picked.set(name, value);
  }
  return picked;
}

async function wholeText(body: ReadableStream<Uint8Array>, watch: ResponseWatch): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > limits.tool_message_bytes) throw watch.refuse('too_large');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/**
 * Lets whole events through, each of them no larger than a message and readable. How soon to come back is for this
 * side to say: a server that says "at once" for ever would keep the host busy with that.
 */
async function* wholeEvents(body: AsyncIterable<Uint8Array>, watch: ResponseWatch): AsyncGenerator<Uint8Array> {
  const gauge = new EventGauge();
  try {
    for await (const chunk of body) {
      yield* gauge.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      if (gauge.fault !== null) throw watch.refuse(gauge.fault);
    }
  } finally {
    watch.ended(gauge.isResumable);
  }
}

class EventGauge {
  fault: 'too_large' | 'unreadable' | null = null;
  isResumable = false;
  #fields: string[] = [];
  #bytes = 0;
  #events: Uint8Array[] = [];
  readonly #lines = new LineReader(limits.tool_message_bytes, {
    onLine: (line, bytes) => this.#line(line.endsWith('\r') ? line.slice(0, -1) : line, bytes),
    onOverlong: () => this.#refuse('too_large'),
  });

  /** The events that are complete with this piece. */
  push(piece: Buffer): Uint8Array[] {
    this.#lines.push(piece);
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #line(line: string, bytes: number): void {
    this.#bytes += bytes;
    // A line that ends otherwise would be several to whoever reads them next.
    if (line.includes('\r')) this.#refuse('unreadable');
    else if (this.#bytes > limits.tool_message_bytes) this.#refuse('too_large');
    else if (line === '') this.#endEvent();
    else if (isKept(line)) this.#fields.push(line);
  }

  #endEvent(): void {
    const event = readableEvent(this.#fields);
    this.isResumable ||= this.#fields.some((field) => field.startsWith('id:'));
    this.#fields = [];
    this.#bytes = 0;
    if (event === null) this.#refuse('unreadable');
    else if (event !== '') this.#events.push(Buffer.from(event));
  }

  #refuse(fault: 'too_large' | 'unreadable'): void {
    this.fault ??= fault;
    this.#lines.stop();
  }
}

function isKept(line: string): boolean {
  return line.startsWith('data:') || line.startsWith('id:') || line.startsWith('event:');
}

/** The event as it goes on; empty if there is nothing in it. */
function readableEvent(fields: readonly string[]): string | null {
  if (fields.length === 0) return '';
  const data = fields.filter((field) => field.startsWith('data:')).map((field) => field.slice('data:'.length));
  const text = data.join('\n').trim();
  const readable = text === '' ? '' : readableMessage(text);
  if (readable === null) return null;
  const others = fields.filter((field) => !field.startsWith('data:'));
  return [...others, ...readable.split('\n').map((line) => `data: ${line}`), '', ''].join('\n');
}
