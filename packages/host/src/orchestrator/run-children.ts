import { limits } from '@rostra/protocol/wire/limits';

/** Process groups that runs have started beside their runner, by the run that they belong to. */
export class RunChildren {
  readonly #groups = new Map<string, Set<number>>();

  /** False if the run has too many already. */
  add(run_id: string, pid: number): boolean {
    const groups = this.#groups.get(run_id) ?? new Set<number>();
    if (groups.size >= limits.run_children) return false;
    this.#groups.set(run_id, groups.add(pid));
    return true;
  }

  remove(run_id: string, pid: number): void {
    const groups = this.#groups.get(run_id);
    if (groups?.delete(pid) && groups.size === 0) this.#groups.delete(run_id);
  }

  /** Those of one run, which has none from then on. */
  take(run_id: string): number[] {
    const groups = this.#groups.get(run_id);
    this.#groups.delete(run_id);
    return groups === undefined ? [] : [...groups];
  }
}
