import { z } from 'zod';

/** Why a session refused, or why a turn ended as it did: the finer word beside the seven codes. */
export const SessionReason = z.enum([
  'ADD_AGENT_FAILED',
  'AGENT_FAILED',
  'AGENT_NOT_FOUND',
  'AGENT_REMOVED',
  'AGENT_REMOVING',
  'BUSY',
  'CANCEL_TIMEOUT',
  'CONFLICT',
  'HANDOVER_PENDING',
  'HANDOVER_TOO_DEEP',
  'INTERACTION_NOT_OPEN',
  'INVALID_MENTION',
  'NOT_ALLOWED',
  'NOT_INTERRUPTIBLE',
  'NO_AGENT',
  'OUTPUT_GAP',
  'QUEUE_FULL',
  'QUEUE_TIMEOUT',
  'REMOVE_AGENT_FAILED',
  'ROSTER_FULL',
  'ROUTE_TIMEOUT',
  'SESSION_CLOSED',
  'SESSION_CLOSING',
  'SESSION_FAILED',
  'SESSION_NOT_OPEN',
  'SESSION_QUARANTINED',
  'TOO_MANY_TRANSACTIONS',
  'TURN_NOT_FOUND',
  'TX_NOT_PENDING',
]);
export type SessionReason = z.infer<typeof SessionReason>;

/** Codes of `run.failed` that the host itself gives; runners add their own. */
export const RunFailure = z.enum([
  'agent.not_found',
  'budget_exceeded',
  'cancelled',
  'deadline_exceeded',
  'host.restarted',
  'payload_too_large',
  'runner.busy',
  'runner.error',
  'runner.exited',
  'runner.not_found',
  'runner.overrun',
  'runner.quarantined',
  'runner.start_failed',
  'runner.start_timeout',
  'runner.unauthorized',
]);
export type RunFailure = z.infer<typeof RunFailure>;

/** Why the store refused: the finer word beside `runtime_error`. */
export const StoreReason = z.enum([
  'BACKUP_UNUSABLE',
  'BAD_KEY',
  'BAD_PAGE',
  'BAD_RANGE',
  'CONTENT_MISMATCH',
  'DATA_FOLDER_LOCKED',
  'DATA_FOLDER_NOT_EMPTY',
  'DATA_FOLDER_UNUSABLE',
  'DISK_FULL',
  'KNOWLEDGE_BASE_GONE',
  'KNOWLEDGE_FULL',
  'NOT_JSON',
  'REVISION_MISMATCH',
  'SEARCH_TOO_LONG',
  'SESSION_GONE',
  'SESSION_HELD',
  'STORE_BUSY',
  'STORE_CLOSED',
  'STORE_CORRUPT',
  'STORE_DUPLICATE',
  'STORE_FAILED',
  'STORE_LOST',
  'STORE_NEWER',
  'STORE_OLDER',
  'STORE_READONLY',
  'STORE_UNSETTLED',
  'TOO_MANY_ARTIFACTS',
  'TOO_MANY_KEYS',
  'TOO_MANY_UPLOADS',
  'VALUE_TOO_LARGE',
]);
export type StoreReason = z.infer<typeof StoreReason>;

/** Why an act of management was refused: it does not fit what is there. */
export const ManagementReason = z.enum(['AGENT_EXISTS', 'AGENT_IN_USE', 'AGENT_READ_ONLY', 'RUNNER_DISABLED']);
export type ManagementReason = z.infer<typeof ManagementReason>;

/** What went wrong with a model, a tool or a document: the finer word where a capability fails. */
export const CapabilityReason = z.enum([
  'ADDRESS_REFUSED',
  'CONTEXT_OVERFLOW',
  'DOCUMENT_TOO_LARGE',
  'DOCUMENT_UNREADABLE',
  'KNOWLEDGE_BASE_EXISTS',
  'MODEL_EXISTS',
  'MODEL_FAILED',
  'MODEL_KEY_MISSING',
  'MODEL_KEY_REFUSED',
  'MODEL_NOT_FOUND',
  'MODEL_RATE_LIMITED',
  'MODEL_READ_ONLY',
  'MODEL_TIMEOUT',
  'MODEL_UNREACHABLE',
  'SECRETS_LOCKED',
  'TOOL_ARGUMENTS',
  'TOOL_DENIED',
  'TOOL_FAILED',
  'TOOL_SERVER_EXISTS',
  'TOOL_SERVER_FAILED',
  'TOOL_SERVER_READ_ONLY',
  'TOOL_TIMEOUT',
]);
export type CapabilityReason = z.infer<typeof CapabilityReason>;
