import { cn } from './class-names.ts';

const hues = ['#3451c7', '#0b7285', '#7048a8', '#a6460f', '#2b7a3d', '#a61e4d', '#5c6300', '#1864ab'];

/** The same agent has the same colour on every page. */
function hueOf(name: string): string {
  let sum = 0;
  for (const char of name) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973;
  return hues[sum % hues.length] ?? '#3451c7';
}

export function AgentMark({ name, className }: { name: string; className?: string }) {
  return (
    <span
      aria-hidden
      className={cn(
        'inline-flex size-7 shrink-0 items-center justify-center rounded-lg text-[13px] font-semibold text-white',
        className,
      )}
      style={{ background: hueOf(name) }}
    >
      {[...name][0]?.toUpperCase() ?? '?'}
    </span>
  );
}
