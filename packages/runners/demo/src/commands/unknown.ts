import type { RunResult } from '@rostra/runner-sdk';
import type { Language } from '../language.ts';
import { spoken } from '../speech.ts';

const NAME_CHARS_MAX = 24;

/** Says that there is no such command, and which one was probably meant. */
export function unknown(name: string, known: Iterable<string>, language: Language): Generator<RunResult> {
  const shown = name.length > NAME_CHARS_MAX ? `${name.slice(0, NAME_CHARS_MAX)}…` : name;
  const nearest = nearestOf(name.slice(0, NAME_CHARS_MAX), known);
  return spoken(
    language === 'zh'
      ? `没有 ${shown} 这个命令；最接近的是 ${nearest}。输入 /help 查看全部命令。`
      : `There is no command ${shown}; the nearest is ${nearest}. Type /help to see them all.`,
  );
}

function nearestOf(name: string, known: Iterable<string>): string {
  const ranked = [...known].map((candidate) => ({ candidate, distance: distance(name, candidate) }));
  return ranked.reduce((best, next) => (next.distance < best.distance ? next : best)).candidate;
}

/** Edit distance, where letters left off at the end cost half: `/str` means `/stream` rather than `/ui`. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, k) => k);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return to.startsWith(from) ? (to.length - from.length) / 2 : (row[to.length] ?? 0);
}
