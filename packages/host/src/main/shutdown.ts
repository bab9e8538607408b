import { isatty } from 'node:tty';
import type { Clock } from '../session/clock.ts';

export interface DrainOptions {
  clock: Clock;
  /** Turns that are still being answered. */
  liveTurns(): number;
  say(line: string): void;
  /** How long they are waited for, in milliseconds. */
  limit: number;
}

const LOOK_MS = 100;
const SETTLE_MS = 5;

/** Waits until no turn is live, or until the limit; says what it waits for whenever that changes. */
export function drain({ clock, liveTurns, say, limit }: DrainOptions): Promise<'idle' | 'late'> {
  const until = clock.now() + limit;
  return new Promise((resolve) => {
    let told = 0;
    const look = () => {
      const live = liveTurns();
      const now = clock.now();
      if (live === 0) {
        resolve('idle');
        return;
      }
      if (now >= until) {
        say(`${turns(live)} did not end in time: what can be resumed goes on at the next start, the rest has failed.`);
        resolve('late');
        return;
      }
      if (live !== told) {
        say(`Waiting up to ${Math.ceil((until - now) / 1000)} s for ${turns(live)}. Ctrl-C again ends at once.`);
        told = live;
      }
      clock.at(Math.min(now + LOOK_MS, until), look);
    };
    look();
  });
}

/** Waits until something holds, at most for `limit`. */
export async function settle(clock: Clock, holds: () => boolean, limit: number): Promise<void> {
  const until = clock.now() + limit;
  while (!holds() && clock.now() < until) {
    await new Promise<void>((resolve) => clock.at(clock.now() + SETTLE_MS, resolve));
  }
}

function turns(count: number): string {
  return count === 1 ? '1 running turn' : `${count} running turns`;
}

/** One key press may arrive twice, from the terminal and from npm; what follows this closely is the same one. */
const REPEAT_MS_MAX = 250;

/**
 * Calls `first` for the first wish to end and `second` for any later one. SIGHUP is such a wish only when our terminal
 * has gone; otherwise somebody asks to read the configuration anew.
 */
export function onSignals(
  signals: Pick<NodeJS.Process, 'on'>,
  clock: Pick<Clock, 'now'>,
  act: { first(): void; second(): void; reload(): void; hasHungUp(): boolean },
): void {
  let firstAt: number | null = null;
  const end = () => {
    const now = clock.now();
    if (firstAt === null) {
      firstAt = now;
      act.first();
    } else if (now - firstAt > REPEAT_MS_MAX) {
      act.second();
    }
  };
  signals.on('SIGINT', end);
  signals.on('SIGTERM', end);
  signals.on('SIGHUP', () => (act.hasHungUp() ? end() : act.reload()));
}

/** Whether a terminal that this process had when it began is gone: the kernel takes it away before it sends SIGHUP. */
export function terminalWatch(isTerminal: (fd: number) => boolean = isatty): () => boolean {
  const terminals = [0, 1, 2].filter(isTerminal);
  return () => terminals.some((fd) => !isTerminal(fd));
}
