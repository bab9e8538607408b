import { FrameError } from '@rostra/protocol/wire/frame';
import type { Json } from '@rostra/protocol/wire/json';
import { JsonText } from './json-text.ts';

/** A frame that arrived, as what it asks of the receiver. */
export type InboundFrame =
  | { readonly kind: 'request'; readonly id: FrameId; readonly method: string; readonly params: Json | undefined }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Json | undefined }
  | { readonly kind: 'answer'; readonly id: FrameId; readonly result: Json }
  | { readonly kind: 'refusal'; readonly id: FrameId; readonly error: FrameError };
export type FrameId = number | string;

const BRACE = 0x7b;

/** The frame on a line, or undefined if the line is none. Written by hand because every line passes here. */
export function decodeFrame(line: string): InboundFrame | undefined {
  if (line.charCodeAt(0) !== BRACE) return undefined;
  const value = parsed(line);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value.jsonrpc !== '2.0') return undefined;
  const { id, method, params } = value;
  const named = typeof id === 'number' || typeof id === 'string';
  if (typeof method === 'string') {
    if (named) return { kind: 'request', id, method, params };
    return id === undefined ? { kind: 'notification', method, params } : undefined;
  }
  if (method !== undefined || !named) return undefined;
  if (value.error !== undefined) {
    const error = FrameError.safeParse(value.error);
    return error.success ? { kind: 'refusal', id, error: error.data } : undefined;
  }
  return value.result === undefined ? undefined : { kind: 'answer', id, result: value.result };
}

function parsed(line: string): Json | undefined {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** JSON leaves undefined out: a frame without params has no such key. */
export function requestLine(id: number, method: string, params: unknown): string {
  if (params instanceof JsonText) {
    return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${params.text}}`;
  }
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

export function notificationLine(method: string, params: unknown): string {
  if (params instanceof JsonText) {
    return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params.text}}`;
  }
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

export function answerLine(id: FrameId, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: result ?? null });
}

export function refusalLine(id: FrameId, error: FrameError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}
