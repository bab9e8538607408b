import { artifactReading } from './artifact-reading.ts';
import type { BuiltIn } from './built-in.ts';
import { handover } from './handover.ts';
import { questioning } from './questioning.ts';
import type { TurnRun } from './turn-run.ts';

/** Those that this run has a use for. */
export function builtInsOf(run: TurnRun): BuiltIn[] {
  return [handover(run), questioning(run), artifactReading(run)].filter((each) => each !== null);
}
