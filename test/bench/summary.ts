export interface Summary {
  median: number;
  min: number;
  max: number;
  rounds: number;
}

export function summarise(values: number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return { median: at(0.5), min: at(0), max: at(1), rounds: sorted.length };
}
