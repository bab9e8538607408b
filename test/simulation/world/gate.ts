/** Whether a process runs: dead ones do nothing any more, paused ones do everything at once when they go on. */
export class Gate {
  isAlive = true;
  #isPaused = false;
  #waiting: (() => void)[] = [];
  readonly #entering: (gate: Gate) => void;

  /** `entering` is told whenever something of this process is about to happen. */
  constructor(entering: (gate: Gate) => void) {
    this.#entering = entering;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  enter(task: () => void): void {
    if (!this.isAlive) return;
    if (this.#isPaused) {
      this.#waiting.push(task);
      return;
    }
    this.#entering(this);
    task();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const task of this.#waiting.splice(0)) this.enter(task);
  }
}
