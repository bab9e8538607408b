import type { ApiErrorCode } from '@rostra/protocol/wire/api-error';
import type { CapabilityReason } from '@rostra/protocol/wire/reason';

/** Why a document cannot be read, for a person. */
export interface DocumentProblem {
  readonly code: ApiErrorCode;
  readonly reason: CapabilityReason;
  readonly message: string;
  readonly hint: string | null;
}

/** A refusal inside the thread that reads documents, which does without the schema library. */
export class DocumentError extends Error {
  readonly problem: DocumentProblem;

  constructor(problem: DocumentProblem, cause?: unknown) {
    super(problem.message, cause === undefined ? {} : { cause });
    this.name = 'DocumentError';
    this.problem = problem;
  }
}

export function unreadable(message: string, hint: string | null = null, cause?: unknown): DocumentError {
  return new DocumentError({ code: 'invalid_argument', reason: 'DOCUMENT_UNREADABLE', message, hint }, cause);
}

export function tooLarge(message: string, hint: string | null = null): DocumentError {
  return new DocumentError({ code: 'payload_too_large', reason: 'DOCUMENT_TOO_LARGE', message, hint });
}
