/** What one look came to. */
export interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly said: string;
  /** One imperative sentence, where something can be done. */
  readonly hint: string | null;
}

export function ok(what: string, said: string): Finding {
  return { what, state: 'ok', said, hint: null };
}

export function warn(what: string, said: string, hint: string): Finding {
  return { what, state: 'warn', said, hint };
}

export function fail(what: string, said: string, hint: string): Finding {
  return { what, state: 'fail', said, hint };
}
