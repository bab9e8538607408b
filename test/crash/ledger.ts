import type { Frame } from '../e2e/sse-client.ts';

/** A turn that the host promised a client to answer. */
export interface AcceptedTurn {
  readonly taskId: string;
  readonly body: unknown;
  /** What its client was shown, in order: the bytes of each frame by its id. */
  readonly seen: Map<string, string>;
}

export function isTerminal({ event }: Frame): boolean {
  return event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR';
}

/** What clients hold against the host, whatever became of its process. */
export class Ledger {
  readonly turns: AcceptedTurn[] = [];
  /** Frames that were shown twice to a client that resumed. */
  repeated = 0;
  /** Frames that a client saw and the log does not have, or has with other bytes. */
  lost = 0;
  /** Runs that were submitted again and became another task. */
  forgotten = 0;
  unterminated = 0;
  readonly notes: string[] = [];

  get frames(): number {
    return this.turns.reduce((sum, { seen }) => sum + seen.size, 0);
  }

  get isClean(): boolean {
    return this.lost + this.repeated + this.forgotten + this.unterminated === 0;
  }

  accept(taskId: string, body: unknown): AcceptedTurn {
    const turn = { taskId, body, seen: new Map<string, string>() };
    this.turns.push(turn);
    return turn;
  }

  show(turn: AcceptedTurn, frames: readonly Frame[]): void {
    for (const { id, raw } of frames) {
      if (turn.seen.has(id)) {
        this.repeated += 1;
        this.#note(`${turn.taskId} was shown ${id} twice`);
      }
      turn.seen.set(id, raw);
    }
  }

  /** Compares what a client saw with what the host has to show now, from the beginning. */
  audit(turn: AcceptedTurn, whole: readonly Frame[], status: unknown): void {
    const kept = new Map(whole.map(({ id, raw }) => [id, raw]));
    for (const [id, raw] of turn.seen) {
      if (kept.get(id) === raw) continue;
      this.lost += 1;
      this.#note(`${turn.taskId} ${id}: a client saw ${raw}, the log has ${kept.get(id) ?? 'nothing'}`);
    }
    const ends = whole.filter(isTerminal);
    const isOver = status === 'completed' || status === 'failed' || status === 'cancelled';
    const last = whole.at(-1);
    if (isOver && ends.length === 1 && last !== undefined && isTerminal(last)) return;
    this.unterminated += 1;
    this.#note(`${turn.taskId} is ${String(status)} and has ${ends.length} ends among ${whole.length} frames`);
  }

  /** A stream that a client had a right to was refused. */
  refuse(turn: AcceptedTurn, how: string): void {
    this.lost += 1;
    this.#note(`${turn.taskId}: ${how}`);
  }

  forget(turn: AcceptedTurn, taskId: unknown): void {
    this.forgotten += 1;
    this.#note(`${turn.taskId} was submitted again and became ${String(taskId)}`);
  }

  #note(text: string): void {
    if (this.notes.length < 20) this.notes.push(text);
  }
}
