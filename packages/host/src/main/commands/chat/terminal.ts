import { createInterface, type Interface } from 'node:readline';
import type { ApiError } from '@rostra/protocol/wire/api-error';
import { errorText } from '../error-text.ts';
import { colorsFor, printLine, shown, shownLines } from '../printing.ts';

export interface TerminalStart {
  /** Lines for machines on stdout: what is for people goes to stderr. */
  readonly isJson: boolean;
  onInterrupt(): void;
}

/** Where a person reads and types, or a pipe that stands in for one. */
export class Terminal {
  readonly isTTY: boolean;
  readonly colors: ReturnType<typeof colorsFor>;
  readonly #lines: string[] = [];
  readonly #reading: Interface;
  readonly #output: NodeJS.WriteStream;
  readonly #isJson: boolean;
  #waiting: ((line: string | null) => void) | null = null;
  #isClosed = false;
  #column = 0;

  constructor({ stdin: input, stdout, stderr }: NodeJS.Process, { isJson, onInterrupt }: TerminalStart) {
    const output = isJson ? stderr : stdout;
    this.#output = output;
    this.#isJson = isJson;
    this.isTTY = input.isTTY === true && output.isTTY === true;
    this.colors = colorsFor(this.isTTY);
    this.#reading = createInterface(this.isTTY ? { input, output, terminal: true } : { input });
    this.#reading.on('line', (line) => this.#take(line));
    this.#reading.on('close', () => {
      this.#isClosed = true;
      // Behind a prompt nobody has ended the line.
      if (this.#waiting !== null) this.endLine();
      this.#hand(null);
    });
    if (this.isTTY) this.#reading.on('SIGINT', onInterrupt);
    else process.on('SIGINT', onInterrupt);
  }

  /** Whether nobody will type any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The next line; null when there is none to come, or when it is called off. What was typed ahead comes first. */
  ask(prompt: string): Promise<string | null> {
    this.endLine();
    const ready = this.#lines.shift();
    if (ready !== undefined) {
      this.note(`${prompt}${ready}`);
      return Promise.resolve(ready);
    }
    if (this.#isClosed) return Promise.resolve(null);
    if (this.isTTY) {
      this.#reading.setPrompt(prompt);
      this.#reading.prompt();
      this.#column = prompt.length;
    }
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /**
   * What a person has typed up to now answers nothing that they could not have read: it waits until it is given back. A
   * pipe has all its lines from the start.
   */
  setAside(): () => void {
    const typed = this.isTTY ? this.#lines.splice(0) : [];
    return () => this.#lines.unshift(...typed);
  }

  /** Text as it comes. Whoever sent it does not move the cursor. */
  write(text: string, paint = (clean: string) => clean): void {
    const clean = shownLines(text);
    if (clean === '') return;
    this.#output.write(paint(clean));
    this.#column = clean.endsWith('\n') ? 0 : 1;
  }

  /** Whose words follow. */
  speaker(name: string): void {
    this.endLine();
    if (this.isTTY) this.#output.write(`${this.colors.cyan(shown(name))} `);
  }

  /** Nobody answers what is being asked; the next question is asked as usual. False: nothing is being asked. */
  callOff(): boolean {
    if (this.#waiting === null) return false;
    if (this.isTTY) this.#forget();
    this.#hand(null);
    return true;
  }

  endLine(): void {
    if (this.#column > 0) this.#output.write('\n');
    this.#column = 0;
  }

  line(text: string): void {
    this.endLine();
    this.#output.write(`${text}\n`);
  }

  /** What is about the talk, not in it: a pipe that reads the answers does not get it. */
  note(text: string): void {
    if (this.isTTY) this.line(this.colors.dim(text));
  }

  problem(text: string): void {
    this.endLine();
    process.stderr.write(`${this.colors.red(text)}\n`);
  }

  refusal(error: ApiError): void {
    if (this.#isJson) process.stderr.write(`${errorText(error, true)}\n`);
    else this.problem(errorText(error, false));
  }

  /** What is in the talk: a line for machines, or words for people. */
  tell(value: unknown, words: () => void): void {
    if (this.#isJson) printLine(value);
    else words();
  }

  close(): void {
    this.#reading.close();
  }

  #take(line: string): void {
    if (this.#waiting === null) {
      this.#lines.push(line);
      return;
    }
    this.#column = 0;
    this.#hand(line);
  }

  /** What was typed and not sent would stand at the next prompt. */
  #forget(): void {
    this.#reading.write(null, { ctrl: true, name: 'e' });
    this.#reading.write(null, { ctrl: true, name: 'u' });
  }

  #hand(line: string | null): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.(line);
  }
}
