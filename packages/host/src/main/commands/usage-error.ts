import { ApiError } from '@rostra/protocol/wire/api-error';

/** Words on the command line that make no sense: the exit code is 2, as for a command that does not exist. */
export class UsageError extends ApiError {
  constructor(message: string, hint?: string) {
    super('invalid_argument', message, hint === undefined ? {} : { details: { hint } });
    this.name = 'UsageError';
  }
}
