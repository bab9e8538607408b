import type { HostProcess } from '../e2e/host-process.ts';
import type { Ledger } from './ledger.ts';

/** Asks the host for every turn that it accepted, from the beginning, and holds it against what clients saw. */
export async function auditTurns(host: HostProcess, ledger: Ledger): Promise<void> {
  for (const turn of ledger.turns) {
    const { status } = await host.task(turn.taskId);
    const isOver = status === 'completed' || status === 'failed' || status === 'cancelled';
    // The stream of a turn that never ends would be read for ever.
    const whole = isOver ? await host.events(turn.taskId).catch(() => []) : [];
    ledger.audit(turn, whole, status);
  }
}
