import { contextRequirements } from './requirements/context.ts';
import { collect, type Requirements } from './requirements/requirement.ts';
import { runApiRequirements } from './requirements/run-api.ts';
import { runnerProtocolRequirements } from './requirements/runner-protocol.ts';
import { sessionDecisionRequirements } from './requirements/session-decisions.ts';
import { sessionInvariantRequirements } from './requirements/session-invariants.ts';
import { sessionRuntimeRequirements } from './requirements/session-runtime.ts';

/** Every clause of docs/spec and its test. */
export const requirements: Requirements = collect(
  Object.entries(runnerProtocolRequirements),
  Object.entries(sessionRuntimeRequirements),
  Object.entries(sessionInvariantRequirements),
  Object.entries(sessionDecisionRequirements),
  Object.entries(runApiRequirements),
  Object.entries(contextRequirements),
);
