import type { ApiError, CapabilityReason } from '@rostra/runner-sdk';

const overflow: CapabilityReason = 'CONTEXT_OVERFLOW';

/** A call of a model that came to nothing. */
export class ModelFailure extends Error {
  readonly refusal: ApiError;
  /** Some of its answer had come: it cannot be asked again, nor another one in its place. */
  readonly hasBegun: boolean;

  constructor(refusal: ApiError, hasBegun: boolean) {
    super(refusal.message);
    this.name = 'ModelFailure';
    this.refusal = refusal;
    this.hasBegun = hasBegun;
  }
}

/** It was told more than it can read, and said so before it said anything else. */
export function isOverflow(error: unknown): boolean {
  if (!(error instanceof ModelFailure) || error.hasBegun) return false;
  return error.refusal.details.reason === overflow;
}

/** Whether another model might do better: not where the time of the run itself is up. */
export function isOfModel(refusal: ApiError): boolean {
  return refusal.code !== 'deadline_exceeded' || refusal.details.reason !== undefined;
}
