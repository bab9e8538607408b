import type { ApiErrorCode } from '@rostra/protocol/wire/api-error';

/** What a call must come to: `ok`, or the code of its refusal. */
export type Outcome = 'ok' | ApiErrorCode;

/** The row of the audit that a call must leave. */
export interface ExpectedRow {
  workspace_id: string;
  actor: string;
  session_id: string | null;
  run_id: string | null;
  runner_id: string | null;
  action: string;
  resource: string | null;
  scope: string | null;
  result: string;
}

export interface Expected {
  readonly outcome: Outcome;
  readonly row: ExpectedRow;
  /** What is wrong with the answer of a call that was served; null when it is right. */
  readonly check: (answer: unknown) => string | null;
}

export type Params = Readonly<Record<string, unknown>>;
