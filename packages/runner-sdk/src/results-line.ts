import { type RunResult, RunResultData } from '@rostra/protocol/runner/run-result';
import type { NotificationFrame } from '@rostra/protocol/wire/frame';
import { limits } from '@rostra/protocol/wire/limits';
import type { WireMethod } from '@rostra/protocol/wire/method';

/** A result of more than the limit; it ends its run. */
export class ResultTooLarge extends Error {
  constructor(type: string, bytes: number) {
    super(`A ${type} of ${bytes} bytes is too large; a result holds at most ${limits.result_bytes}.`);
    this.name = 'ResultTooLarge';
  }
}

/** The results of one run that wait for the next write. Each is stringified once, the line is built around them. */
export class ResultsLine {
  readonly #head: string;
  readonly #envelopeBytes: number;
  #pieces: string[] = [];
  #sequence = 0;

  constructor(runId: string) {
    const method: WireMethod = 'RESULTS';
    const frame: NotificationFrame = { jsonrpc: '2.0', method, params: { run_id: runId, results: [] } };
    this.#head = JSON.stringify(frame).slice(0, -TAIL.length);
    this.#envelopeBytes = Buffer.byteLength(this.#head) + TAIL.length;
  }

  /** Adds a result and says by how many bytes the line that will carry it has grown. */
  add(result: RunResult): number {
    const { type } = result;
    const body = result.type === 'message.delta' ? deltaBody(result.data) : JSON.stringify(result.data);
    const bodyBytes = Buffer.byteLength(body);
    if (bodyBytes > limits.result_bytes) throw new ResultTooLarge(type, bodyBytes);
    const piece = `[${this.#sequence + 1},${quotedTypes.get(type) ?? JSON.stringify(type)},${body}]`;
    const isFirst = this.#pieces.length === 0;
    this.#sequence += 1;
    this.#pieces.push(piece);
    return piece.length - body.length + bodyBytes + (isFirst ? this.#envelopeBytes : 1);
  }

  /** The line with everything that waits, or undefined if nothing does. */
  take(): string | undefined {
    if (this.#pieces.length === 0) return undefined;
    const line = this.#head + this.#pieces.join() + TAIL;
    this.#pieces = [];
    return line;
  }
}

type Delta = Extract<RunResult, { type: 'message.delta' }>['data'];

/** Nearly every result is a plain piece of text, of which only the text has to be escaped. */
function deltaBody(data: Delta): string {
  const { chunk } = data;
  for (const key in data) if (key !== 'chunk') return JSON.stringify(data);
  for (const key in chunk) if (key !== 'role' && key !== 'content') return JSON.stringify(data);
  if (chunk.role !== 'assistant' || typeof chunk.content !== 'string') return JSON.stringify(data);
  return `{"chunk":{"role":"assistant","content":${JSON.stringify(chunk.content)}}}`;
}

const TAIL = ']}}';
const quotedTypes = new Map(Object.keys(RunResultData).map((type) => [type, JSON.stringify(type)]));
