/** What a figure should be, and what it must be: a bench that misses the second fails. */
export interface Bounds {
  readonly is: '≥' | '≤';
  readonly goal: number;
  /** Null: nothing is asked of it. */
  readonly floor: number | null;
}

export function isMet({ is, floor }: Bounds, figure: number): boolean {
  if (floor === null) return true;
  return is === '≥' ? figure >= floor : figure <= floor;
}

export function boundsText({ is, goal, floor }: Bounds): string {
  return floor === null ? `goal ${is} ${goal}` : `goal ${is} ${goal}, at least ${is} ${floor}`;
}
