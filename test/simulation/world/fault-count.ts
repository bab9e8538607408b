import type { FaultKind } from './fault-kind.ts';

export class FaultCount {
  readonly counts = new Map<FaultKind, number>();
  total = 0;

  add(kind: FaultKind): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    this.total += 1;
  }
}
