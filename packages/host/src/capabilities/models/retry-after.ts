/** Milliseconds that a provider asks to be left alone: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function retryAfter(headers: Readonly<Record<string, string>>, now: number = Date.now()): number | null {
  const exact = numberIn(headers['retry-after-ms']);
  if (exact !== null) return exact;
  const told = headers['retry-after'];
  const seconds = numberIn(told);
  if (seconds !== null) return seconds * 1000;
  const date = told === undefined ? Number.NaN : Date.parse(told);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function numberIn(value: string | undefined): number | null {
  if (value === undefined || value.trim() === '') return null;
  const number = Number(value);
  return Number.isFinite(number) && number >= 0 ? number : null;
}
