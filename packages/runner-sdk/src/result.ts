import type { RunResult } from '@rostra/protocol/runner/run-result';
import type { Json } from '@rostra/protocol/wire/json';

type ResultOf<T extends RunResult['type']> = Extract<RunResult, { type: T }>;

/** A piece of the message that is being written; pieces of one message concatenate. */
export function text(content: string): ResultOf<'message.delta'> {
  return { type: 'message.delta', data: { chunk: { role: 'assistant', content } } };
}

/** A piece of what the model thinks: shown apart, never part of the answer. */
export function reasoning(reasoning_content: string): ResultOf<'message.delta'> {
  return { type: 'message.delta', data: { chunk: { role: 'assistant', reasoning_content } } };
}

/** A whole message; after pieces it closes the message that they made up. */
export function message(content: string, extra: { ui_hints?: Json } = {}): ResultOf<'message.completed'> {
  return { type: 'message.completed', data: { message: { role: 'assistant', content, ...extra } } };
}

export function toolStarted(id: string, name: string, parameters: Json): ResultOf<'tool.call.started'> {
  return { type: 'tool.call.started', data: { tool_call_id: id, tool_name: name, parameters } };
}

export function toolCompleted(id: string, name: string, result: Json): ResultOf<'tool.call.completed'> {
  return { type: 'tool.call.completed', data: { tool_call_id: id, tool_name: name, result } };
}

export function toolFailed(id: string, name: string, error: string): ResultOf<'tool.call.completed'> {
  return { type: 'tool.call.completed', data: { tool_call_id: id, tool_name: name, error } };
}

export function completed(data: ResultOf<'run.completed'>['data'] = {}): ResultOf<'run.completed'> {
  return { type: 'run.completed', data };
}

/** `code` is dotted or plain (`demo.failed`, `cancelled`); both names of the sentence are written for older hosts. */
export function failed(code: string, sentence: string, retryable = false): ResultOf<'run.failed'> {
  return { type: 'run.failed', data: { code, message: sentence, error: sentence, retryable } };
}

/** Whether a result ends its run (RP-6.12). */
export function isTerminal({ type }: RunResult): boolean {
  return type === 'run.completed' || type === 'run.failed';
}
