import { setTimeout as pause } from 'node:timers/promises';

/** A process that stands still for that long and then goes on: the time is the fault, there is nothing to wait for. */
export async function suspend(pid: number, ms: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await pause(ms);
  process.kill(pid, 'SIGCONT');
}
