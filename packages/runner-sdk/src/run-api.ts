import type { ApiCaller } from './api-caller.ts';
import { type RunCalls, runCalls } from './run-calls.ts';
import { type Transfers, transfersOf } from './transfers.ts';

/** Every call by itself, and what takes several of them. */
export type RunApi = RunCalls & Transfers;

export function runApi(caller: ApiCaller): RunApi {
  const calls = runCalls(caller);
  const { artifacts, storage, history } = transfersOf(calls);
  return {
    ...calls,
    artifacts: { ...calls.artifacts, ...artifacts },
    storage: { ...calls.storage, ...storage },
    history: { ...calls.history, ...history },
  };
}
