import { limits } from '@rostra/protocol/wire/limits';
import type { WireMethod } from '@rostra/protocol/wire/method';
import { type ChildChannel, type ChildCommand, type ChildExit, spawnChild } from '@rostra/transport/child-process';
import { decodeFrame, type InboundFrame, notificationLine, requestLine } from '@rostra/transport/frame';
import { LineReader } from '@rostra/transport/line-reader';
import type { Timers } from '@rostra/transport/timers';
import { lastWords } from './last-words.ts';
import { BrokenPromise, type WireLine } from './wire-line.ts';

type Answer = Extract<InboundFrame, { kind: 'answer' | 'refusal' }>;
const STDERR_LINES_KEPT = 20;

/**
 * A runner seen from outside: its process, every line in both directions, and what was waited for in vain. It knows
 * nothing but lines, so that what is wrong with them can be shown.
 */
export class RunnerProbe {
  readonly lines: WireLine[] = [];
  readonly stderr: string[] = [];
  readonly exited: Promise<ChildExit>;
  readonly #child: ChildChannel;
  readonly #timers: Timers;
  readonly #watchers = new Set<() => void>();
  readonly #followers: ((line: WireLine) => void)[] = [];
  #exit: ChildExit | undefined;
  #lastId = 0;

  constructor(command: ChildCommand, timers: Timers) {
    this.#timers = timers;
    this.#child = spawnChild(command, { onStderr: (line) => this.#printed(line), timers });
    const reader = new LineReader(limits.frame_bytes, {
      onLine: (text, bytes) => this.#took('runner', text, bytes),
      onOverlong: (start) => this.#took('runner', start, limits.frame_bytes + 1),
    });
    const { readable, writable } = this.#child;
    readable.on('data', (chunk: Buffer) => reader.push(chunk));
    readable.on('end', () => reader.end());
    // A runner that dies while it is spoken to is seen by its exit.
    writable.on('error', () => undefined);
    this.exited = this.#child.exited.then((exit) => {
      this.#exit = exit;
      this.#look();
      return exit;
    });
  }

  request(method: WireMethod | string, params?: unknown): number {
    this.#lastId += 1;
    this.#write(requestLine(this.#lastId, method, params));
    return this.#lastId;
  }

  notify(method: WireMethod | string, params?: unknown): void {
    this.#write(notificationLine(method, params));
  }

  /** Hears every line from now on, once. */
  follow(hear: (line: WireLine) => void): void {
    this.#followers.push(hear);
  }

  get hasEnded(): boolean {
    return this.#exit !== undefined;
  }

  /** The first line that fits, waited for no longer than `ms`. */
  async line(fits: (line: WireLine) => boolean, what: string, ms: number): Promise<WireLine> {
    const found = await this.#until(() => this.lines.find((line) => line.from === 'runner' && fits(line)), ms);
    if (found !== undefined) return found;
    const last = this.lines.findLast(({ from }) => from === 'runner');
    if (this.#exit !== undefined) throw new BrokenPromise(`${what}: the runner ended first (${this.ending()})`, last);
    throw new BrokenPromise(`${what}: nothing within ${ms} ms`, last);
  }

  async answer(id: number, what: string, ms: number): Promise<{ line: WireLine; frame: Answer }> {
    const isIt = ({ frame }: WireLine) => (frame?.kind === 'answer' || frame?.kind === 'refusal') && frame.id === id;
    const line = await this.line(isIt, what, ms);
    if (line.frame?.kind !== 'answer' && line.frame?.kind !== 'refusal') throw new Error('found by its kind');
    return { line, frame: line.frame };
  }

  /** True as soon as it holds, false if it does not within `ms` or can no longer. */
  async holds(condition: () => boolean, ms: number): Promise<boolean> {
    return (await this.#until(() => (condition() ? true : undefined), ms)) === true;
  }

  hangUp(): void {
    this.#child.writable.end();
  }

  /** How it ended, for people; its last words if it said any. */
  ending(): string {
    const { code, signal, error } = this.#exit ?? { code: null, signal: null, error: null };
    const how = error?.message ?? (signal === null ? `exit code ${code}` : signal);
    const words = lastWords(this.stderr);
    return words === undefined ? how : `${how}; its last words: ${words.slice(0, limits.log_line_chars)}`;
  }

  async stop(): Promise<void> {
    this.#child.kill();
    await this.exited;
  }

  #write(text: string): void {
    this.#took('host', text, Buffer.byteLength(text));
    this.#child.writable.write(`${text}\n`);
  }

  #took(from: WireLine['from'], text: string, bytes: number): void {
    if (bytes === 0) return;
    const line: WireLine = { number: this.lines.length + 1, from, text, bytes, frame: decodeFrame(text) };
    this.lines.push(line);
    for (const hear of this.#followers) hear(line);
    this.#look();
  }

  #printed(line: string): void {
    this.stderr.push(line);
    if (this.stderr.length > STDERR_LINES_KEPT) this.stderr.shift();
  }

  #look(): void {
    for (const watch of [...this.#watchers]) watch();
  }

  #until<T>(find: () => T | undefined, ms: number): Promise<T | undefined> {
    return new Promise((resolve) => {
      const end = (found: T | undefined) => {
        stop();
        this.#watchers.delete(watch);
        resolve(found);
      };
      const watch = () => {
        const found = find();
        if (found !== undefined || this.#exit !== undefined) end(found);
      };
      const stop = this.#timers.after(ms, () => end(undefined));
      this.#watchers.add(watch);
      watch();
    });
  }
}
