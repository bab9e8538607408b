import pc from 'picocolors';
import { beginningOf, displayWidth, padded } from './display-width.ts';

/** A terminal without a cursor to move shows escape sequences as they are. */
const isDumb = () => process.env.TERM === 'dumb';

/** Colors where a person looks, unless they want none; nothing else in files and pipes. */
export function colorsFor(isSeen: boolean): ReturnType<typeof pc.createColors> {
  return pc.createColors(isSeen && !process.env.NO_COLOR && !isDumb());
}

export const colors = colorsFor(process.stdout.isTTY === true);

/** Output for machines, or words for people. */
export function print(isJson: boolean | undefined, value: unknown, words: () => string): void {
  process.stdout.write(isJson === true ? `${JSON.stringify(value, null, 2)}\n` : words());
}

/** One object to a line: what is read while it comes. */
export function printLine(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** "1 session", "2 sessions". */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** Columns as wide as they need; `empty` where there is no row. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], empty: string): string {
  if (rows.length === 0) return `${empty}\n`;
  const all = [head, ...rows.map((row) => row.map(shown))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => displayWidth(row[column] ?? ''))));
  const lines = all.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** Names and values below each other; what is null is left out. */
export function facts(pairs: readonly (readonly [string, string | null])[]): string {
  const present = pairs.filter((pair): pair is readonly [string, string] => pair[1] !== null);
  const width = Math.max(...present.map(([name]) => name.length));
  return present.map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}\n`).join('');
}

/** What came from elsewhere must not move the cursor or change colors: escape sequences would. */
export function shown(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}

/** The same for text of several lines. */
export function shownLines(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

/** No wider than so many columns; dots stand for what is cut off. */
export function short(text: string, most: number): string {
  return beginningOf(text, most) === text ? text : `${beginningOf(text, most - 1)}…`;
}

/** `2026-11-16 05:59` in local time. */
export function time(iso: string | null): string {
  if (iso === null) return '–';
  const at = new Date(iso);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Tells a person that long work goes on; silent in pipes. */
export function progress(words: string): void {
  if (process.stderr.isTTY && !isDumb()) process.stderr.write(`\r\u001b[2K${words}`);
}

export function endProgress(): void {
  if (process.stderr.isTTY && !isDumb()) process.stderr.write('\r\u001b[2K');
}
