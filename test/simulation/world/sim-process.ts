import type { Gate } from './gate.ts';

/** A process as its bus and its store see it. */
export interface SimProcess {
  readonly name: string;
  readonly isAlive: boolean;
  readonly gate: Gate;
}
