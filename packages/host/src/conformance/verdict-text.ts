import type pc from 'picocolors';
import type { Verdict } from './check-runner.ts';
import type { Violation, WireLine } from './wire-line.ts';

const LINE_CHARS_MAX = 240;
const SHOWN_MAX = 3;

type Colors = ReturnType<typeof pc.createColors>;

/** One promise: whether it holds, and the lines that show that it does not. */
export function verdictText({ promise, clause, outcome, violations, reason }: Verdict, colors: Colors): string {
  const mark = { holds: colors.green('✓'), broken: colors.red('✗'), 'not shown': colors.yellow('–') }[outcome];
  const head = `${mark} ${promise} ${colors.dim(`(${clause})`)}`;
  const shown = violations.slice(0, SHOWN_MAX).flatMap((violation) => violationLines(violation, colors));
  const more = violations.length > SHOWN_MAX ? [`    and ${violations.length - SHOWN_MAX} more like this`] : [];
  return [head, ...(reason === undefined ? [] : [`    ${reason}`]), ...shown, ...more].join('\n');
}

function violationLines({ problem, line }: Violation, colors: Colors): string[] {
  return [`    ${problem}`, ...(line === undefined ? [] : [`    ${colors.dim(lineText(line))}`])];
}

function lineText({ number, text, from }: WireLine): string {
  const shown = text.length > LINE_CHARS_MAX ? `${text.slice(0, LINE_CHARS_MAX)}… (${text.length} characters)` : text;
  return `line ${number} ${from === 'runner' ? '←' : '→'} ${shown}`;
}

/** The last line of a report. */
export function summaryText(verdicts: readonly Verdict[]): string {
  const count = (outcome: Verdict['outcome']) => verdicts.filter((each) => each.outcome === outcome).length;
  const [held, broken, open] = [count('holds'), count('broken'), count('not shown')];
  const rest = open === 0 ? '' : `, ${open} not shown`;
  return broken === 0 ? `${held} hold${rest}.` : `${held} hold, ${broken} do not${rest}.`;
}
