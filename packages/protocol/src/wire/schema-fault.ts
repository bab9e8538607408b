import type { z } from 'zod';

/** The first thing that a schema finds wrong: where, and a sentence that never repeats the value. */
export interface SchemaFault {
  readonly path: string;
  readonly sentence: string;
}

/** `whole` names a value that is wrong as such; `above` leads to it. */
export function schemaFault(
  { issues: [issue] }: z.ZodError,
  whole: string,
  above: readonly string[] = [],
): SchemaFault {
  const path = [...above, ...(issue?.path.map(String) ?? [])].join('.');
  return { path, sentence: `${path || whole}: ${issue?.message ?? 'is not valid'}` };
}
