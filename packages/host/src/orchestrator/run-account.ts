import type { Run } from '@rostra/kernel/run/run';
import type { SessionMessage } from '@rostra/protocol/session/message';
import type { JsonObject } from '@rostra/protocol/wire/json';
import type { ActiveRun } from './run-charter.ts';

/** What a run has used since its account heard last. */
export interface Use {
  /** The runner's own total, when it has told a new one. */
  readonly usage: JsonObject | null;
  readonly tool_calls: number;
  readonly handovers: number;
}

/** Keeps account of one live run. */
export interface RunAccount {
  /** `isLast`: the run has ended with it, so that nobody can be asked any more. */
  add(use: Use, isLast: boolean): void;
}

/** Who wants to know what runs use. */
export interface RunAccounts {
  /** Null for a run that nobody counts: then nothing is done for it. */
  open(run: ActiveRun): RunAccount | null;
}

interface Accounted {
  readonly account: RunAccount | null;
  readonly run: Run;
  readonly over: boolean;
}

/** Tells the account of a run, if it has one, what these messages and the newest usage come to. */
export function account(live: Accounted, before: JsonObject | null, messages: readonly SessionMessage[]): void {
  if (live.account === null) return;
  const { usage, phase } = live.run;
  const told = usage === before ? null : usage;
  const tool_calls = messages.filter(({ subtype }) => subtype === 'tool.call.started').length;
  const handovers = messages.filter(({ subtype }) => subtype === 'HANDOVER_REQUEST').length;
  if (told === null && tool_calls === 0 && handovers === 0) return;
  live.account.add({ usage: told, tool_calls, handovers }, phase === 'ended' || live.over);
}
