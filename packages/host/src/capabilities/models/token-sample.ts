import { limits } from '@rostra/protocol/wire/limits';

/** Only as much of a very long text is counted as tells what the rest has. */
export function sampledCount(text: string, count: (part: string) => number): number {
  const most = limits.count_chars;
  if (text.length <= most) return count(text);
  const half = most / 2;
  const known = count(text.slice(0, half)) + count(text.slice(-half));
  return Math.ceil((known * text.length) / most);
}
