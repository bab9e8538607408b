import type { HostStatusAnswer } from '@rostra/protocol/run-api/host-status';
import type { AskedQueryOf, SentBodyOf } from '@rostra/protocol/run-api/operation';
import { managementOperations } from '@rostra/protocol/run-api/operations/management';
import type { Caller, CallOptions } from '../caller.ts';

/** What whoever runs the host looks at and changes. */
export class Host {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  status(options: CallOptions = {}): Promise<HostStatusAnswer> {
    return this.#caller.call(managementOperations.getStatus, options);
  }

  runners(options: CallOptions = {}) {
    return this.#caller.call(managementOperations.listRunners, options);
  }

  runnerLog(runnerId: string, query: { limit?: number } = {}, options: CallOptions = {}) {
    return this.#caller.call(managementOperations.readRunnerLog, { params: { runnerId }, query, ...options });
  }

  restartRunner(runnerId: string) {
    return this.#caller.call(managementOperations.restartRunner, { params: { runnerId } });
  }

  settings(options: CallOptions = {}) {
    return this.#caller.call(managementOperations.listSettings, options);
  }

  changeSettings(body: SentBodyOf<typeof managementOperations.changeSettings>) {
    return this.#caller.call(managementOperations.changeSettings, { body });
  }

  usage(query: AskedQueryOf<typeof managementOperations.getUsage> = {}, options: CallOptions = {}) {
    return this.#caller.call(managementOperations.getUsage, { query, ...options });
  }

  audit(query: AskedQueryOf<typeof managementOperations.listAudit> = {}, options: CallOptions = {}) {
    return this.#caller.call(managementOperations.listAudit, { query, ...options });
  }
}
