import type { ProtocolError, SdkError, SdkHttpError } from '@modelcontextprotocol/client';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import type { CapabilityReason } from '@rostra/protocol/wire/reason';
import type { Concealer } from './concealer.ts';
import { foreignWords } from './foreign-words.ts';

/** The module that speaks the protocol, loaded when the first server is reached. */
export type McpModule = typeof import('@modelcontextprotocol/client');

const INVALID_PARAMS = -32602;

/** The server itself is the trouble. */
export function serverFault(message: string, hint?: string, details: JsonObject = {}): ApiError {
  return capabilityFault('TOOL_SERVER_FAILED', message, { ...details, ...(hint !== undefined && { hint }) }, true);
}

export function tooLarge(server_id: string): ApiError {
  const reason: CapabilityReason = 'TOOL_FAILED';
  return new ApiError('payload_too_large', `The tool server ${server_id} gave back more than can be taken.`, {
    details: { reason, hint: 'Ask it for less at a time.' },
  });
}

export function floods(server_id: string): ApiError {
  return serverFault(`The tool server ${server_id} sent more notifications than can be read.`);
}

export function timedOut(server_id: string, ms: number): ApiError {
  const reason: CapabilityReason = 'TOOL_TIMEOUT';
  return new ApiError('deadline_exceeded', `The tool server ${server_id} did not answer within ${ms / 1000} s.`, {
    retryable: true,
    details: { reason, hint: `Give it more time by tools.servers.${server_id}.timeout, or ask it for less.` },
  });
}

export function givenUp(): ApiError {
  return new ApiError('deadline_exceeded', 'The call was given up.');
}

export function noSuchTool(): ApiError {
  return new ApiError('not_found', 'There is no such tool.');
}

export interface FaultGround {
  readonly sdk: McpModule;
  readonly server_id: string;
  readonly concealer: Concealer;
}

/** What went wrong, as a refusal with one sentence. `lost` is why the connection is gone, if it is. */
export function faultOf({ sdk, server_id, concealer }: FaultGround, error: unknown, lost: ApiError | null): ApiError {
  if (error instanceof ApiError) return error;
  if (sdk.SdkHttpError.isInstance(error)) return httpFault(server_id, error);
  if (sdk.InsufficientScopeError.isInstance(error)) return credentialFault(server_id, 403);
  if (sdk.ProtocolError.isInstance(error)) return answeredFault(server_id, error, concealer);
  if (sdk.SdkError.isInstance(error)) return lost ?? localFault(sdk, server_id, error);
  if (lost !== null) return lost;
  const code = codeOf(error);
  return serverFault(
    `The tool server ${server_id} cannot be reached${code === null ? '' : ` (${code})`}.`,
    `Check tools.servers.${server_id}.`,
  );
}

function httpFault(server_id: string, { status }: SdkHttpError): ApiError {
  if (status === 401 || status === 403) return credentialFault(server_id, status);
  if (status >= 300 && status < 400) {
    return serverFault(
      `The tool server ${server_id} sends callers elsewhere (${status}).`,
      `Give its final address as tools.servers.${server_id}.url.`,
      { status },
    );
  }
  return serverFault(
    `The tool server ${server_id} answered with status ${status}.`,
    `Check tools.servers.${server_id}.url.`,
    { status },
  );
}

/** No login is ever begun from here: what a server says about one is not even read. */
function credentialFault(server_id: string, status: number): ApiError {
  return serverFault(
    `The tool server ${server_id} refused the credentials of the host (${status}).`,
    `Set the header that it asks for, such as Authorization, under tools.servers.${server_id}.headers.`,
    { status },
  );
}

function answeredFault(server_id: string, { code, message, data }: ProtocolError, concealer: Concealer): ApiError {
  // This side's own word for an answer that will not come; what a server sends is never of this class.
  if (data instanceof ApiError) return data;
  const said = foreignWords(concealer.conceal(message));
  if (code === INVALID_PARAMS) {
    const reason: CapabilityReason = 'TOOL_ARGUMENTS';
    return new ApiError('invalid_argument', `The tool server ${server_id} refused the parameters: ${said}`, {
      details: { reason },
    });
  }
  return capabilityFault('TOOL_FAILED', `The tool server ${server_id} answered with error ${code}: ${said}`, {}, false);
}

function localFault(sdk: McpModule, server_id: string, { code }: SdkError): ApiError {
  if (code === sdk.SdkErrorCode.InvalidResult) {
    return capabilityFault('TOOL_FAILED', `The tool server ${server_id} answered with what is no result.`, {}, false);
  }
  if (code === sdk.SdkErrorCode.ClientHttpUnexpectedContent) {
    return serverFault(
      `What answers at the address of the tool server ${server_id} does not speak its protocol.`,
      `Check tools.servers.${server_id}.url.`,
    );
  }
  return serverFault(`The connection to the tool server ${server_id} was lost.`);
}

function capabilityFault(reason: CapabilityReason, message: string, details: JsonObject, retryable: boolean): ApiError {
  return new ApiError('runtime_error', message, { retryable, details: { reason, ...details } });
}

/** The code of a system error, or of the one that made a request fail, such as ECONNREFUSED. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return codeOf(error.cause);
}
