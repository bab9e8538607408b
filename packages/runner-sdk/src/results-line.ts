import { type RunResult, RunResultData } from '@rostra/protocol/runner/run-result';
import { limits } from '@rostra/protocol/wire/limits';
import type { WireMethod } from '@rostra/protocol/wire/method';

/** A result of more than the limit; it ends its run. */
export class ResultTooLarge extends Error {
  constructor(type: string, bytes: number) {
    super(`A ${type} of ${bytes} bytes is too large; a result holds at most ${limits.result_bytes}.`);
    this.name = 'ResultTooLarge';
  }
}

/**
 * The results of one run that wait for the next write. Each is stringified once, the line is built around them. Pieces of
 * text that follow each other stand in the element of the first, for a host that reads that.
 */
export class ResultsLine {
  readonly #head: string;
  readonly #envelopeBytes: number;
  readonly #joins: boolean;
  #elements: string[] = [];
  /** Pieces that belong to the last element, which is still open for more. */
  #pieces: string[] | null = null;
  #pieceBytes = 0;
  /** Whether the last element has no end yet. */
  #isOpen = false;
  #sequence = 0;

  constructor(runId: string, joins: boolean) {
    this.#head = `${HEAD}${JSON.stringify(runId)},"results":[`;
    this.#envelopeBytes = Buffer.byteLength(this.#head) + TAIL.length;
    this.#joins = joins;
  }

  get isEmpty(): boolean {
    return this.#elements.length === 0;
  }

  /** Adds a result and says by how many bytes the line that will carry it has grown. */
  add(result: RunResult): number {
    const content = result.type === 'message.delta' ? plainText(result.data) : null;
    if (content === null) return this.#addElement(result.type, JSON.stringify(result.data), false);
    if (this.#pieces === null || this.#pieceBytes >= limits.chunk_chars) {
      return this.#addElement(result.type, delta(JSON.stringify(content)), true);
    }
    return this.#addPiece(this.#pieces, content);
  }

  /** The line with everything that waits, or undefined if nothing does. */
  take(): string | undefined {
    if (this.#elements.length === 0) return undefined;
    this.#close();
    const line = this.#head + this.#elements.join() + TAIL;
    this.#elements = [];
    return line;
  }

  #addPiece(pieces: string[], content: string): number {
    const isUsual = needsNoEscape.test(content);
    const said = isUsual ? `"${content}"` : JSON.stringify(content);
    const bytes = isUsual ? said.length : Buffer.byteLength(said);
    checkSize('message.delta', bytes);
    this.#sequence += 1;
    const grown = bytes + (pieces.length === 0 ? MORE.length + MORE_END.length : 1);
    pieces.push(said);
    this.#pieceBytes += bytes;
    return grown;
  }

  #addElement(type: RunResult['type'], body: string, isText: boolean): number {
    const bodyBytes = Buffer.byteLength(body);
    checkSize(type, bodyBytes);
    this.#sequence += 1;
    this.#close();
    const element = `[${this.#sequence},${quotedTypes.get(type) ?? JSON.stringify(type)},${body}`;
    const isFirst = this.#elements.length === 0;
    this.#elements.push(element);
    this.#isOpen = true;
    this.#pieces = isText && this.#joins ? [] : null;
    this.#pieceBytes = bodyBytes;
    return element.length + END.length - body.length + bodyBytes + (isFirst ? this.#envelopeBytes : 1);
  }

  /** The last element is whole. */
  #close(): void {
    const last = this.#elements.length - 1;
    if (last < 0) return;
    const more = this.#pieces === null || this.#pieces.length === 0 ? '' : MORE + this.#pieces.join() + MORE_END;
    if (this.#isOpen) this.#elements[last] += more + END;
    this.#isOpen = false;
    this.#pieces = null;
  }
}

type Delta = Extract<RunResult, { type: 'message.delta' }>['data'];

/** Nearly every result is a plain piece of text, of which only the text has to be escaped. */
function plainText(data: Delta): string | null {
  const { chunk } = data;
  for (const key in data) if (key !== 'chunk') return null;
  for (const key in chunk) if (key !== 'role' && key !== 'content') return null;
  const { role, content } = chunk;
  return role === 'assistant' && typeof content === 'string' && content !== '' ? content : null;
}

function delta(said: string): string {
  return `{"chunk":{"role":"assistant","content":${said}}}`;
}

function checkSize(type: string, bytes: number): void {
  if (bytes > limits.result_bytes) throw new ResultTooLarge(type, bytes);
}

/** What JSON writes as it stands, each character one byte: most pieces are, and to ask costs half of escaping them. */
const needsNoEscape = /^[ !#-[\]-~]*$/;
const END = ']';
const MORE = ',[';
const MORE_END = ']';
const TAIL = ']}}';
const method: WireMethod = 'RESULTS';
const HEAD = `{"jsonrpc":"2.0","method":"${method}","params":{"run_id":`;
const quotedTypes = new Map(Object.keys(RunResultData).map((type) => [type, JSON.stringify(type)]));
