import { createInterface, type Interface } from 'node:readline';
import pc from 'picocolors';
import { shown, shownLines } from '../printing.ts';

/** Where a person reads and types, or a pipe that stands in for one. */
export class Terminal {
  readonly isTTY: boolean;
  readonly colors: ReturnType<typeof pc.createColors>;
  readonly #lines: string[] = [];
  readonly #reading: Interface;
  #waiting: ((line: string | null) => void) | null = null;
  #isClosed = false;
  #column = 0;

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, onInterrupt: () => void) {
    this.isTTY = input.isTTY === true && output.isTTY === true;
    this.colors = pc.createColors(this.isTTY && !process.env.NO_COLOR);
    this.#reading = createInterface(this.isTTY ? { input, output, terminal: true } : { input });
    this.#reading.on('line', (line) => this.#take(line));
    this.#reading.on('close', () => {
      this.#isClosed = true;
      this.#hand(null);
    });
    if (this.isTTY) this.#reading.on('SIGINT', onInterrupt);
    else process.on('SIGINT', onInterrupt);
  }

  /** The next line; null when there is none to come. What was typed ahead comes first. */
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
    }
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** Text as it comes. Whoever sent it does not move the cursor. */
  write(text: string, paint = (clean: string) => clean): void {
    const clean = shownLines(text);
    if (clean === '') return;
    process.stdout.write(paint(clean));
    this.#column = clean.endsWith('\n') ? 0 : 1;
  }

  /** Whose words follow. */
  speaker(name: string): void {
    this.endLine();
    if (this.isTTY) process.stdout.write(`${this.colors.cyan(shown(name))} `);
  }

  /** Nobody answers what is being asked; the next question is asked as usual. */
  callOff(): void {
    this.#hand(null);
  }

  endLine(): void {
    if (this.#column > 0) process.stdout.write('\n');
    this.#column = 0;
  }

  line(text: string): void {
    this.endLine();
    process.stdout.write(`${text}\n`);
  }

  /** What is about the talk, not in it: a pipe that reads the answers does not get it. */
  note(text: string): void {
    if (this.isTTY) this.line(this.colors.dim(text));
  }

  problem(text: string): void {
    this.endLine();
    process.stderr.write(`${this.isTTY ? this.colors.red(text) : text}\n`);
  }

  close(): void {
    this.#reading.close();
  }

  #take(line: string): void {
    if (this.#waiting === null) this.#lines.push(line);
    else this.#hand(line);
  }

  #hand(line: string | null): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.(line);
  }
}
