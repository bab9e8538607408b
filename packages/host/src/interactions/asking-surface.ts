import type { ActiveRun } from '../orchestrator/run-charter.ts';

/** Whether a person can be asked where the run delivers: the console can, any other surface says so itself. */
export function canAsk({ charter }: ActiveRun): boolean {
  const { delivery } = charter.envelope;
  return delivery === null || delivery.platform_capabilities.interactions === true;
}
