import { type Dialect, estimate, type FakeFailure, type Fields, fields, list, text } from './dialect.ts';
import type { Heard, Said, Scripted } from './scripted-answer.ts';

/** Anthropic's messages. */
export const anthropicMessages: Dialect = {
  hear(body): Heard {
    const system = typeof body.system === 'string' ? [{ text: body.system }] : list(body.system).map(fields);
    const instructed = system.map((part): Said => ({ role: 'system', text: text(part.text), images: 0 }));
    return {
      model: text(body.model),
      said: [...instructed, ...list(body.messages).flatMap(saidOf)],
      tools: list(body.tools).map((tool) => text(fields(tool).name)),
      max_tokens: typeof body.max_tokens === 'number' ? body.max_tokens : null,
      tokens: estimate(body),
    };
  },

  whole(answer, { model, id }) {
    const content = blocksOf(answer).map(({ start, deltas }) => ({ ...start, ...wholeOf(deltas) }));
    const end = { stop_reason: stopOf(answer), stop_sequence: null, usage: usageOf(answer) };
    return { id, type: 'message', role: 'assistant', model, content, ...end };
  },

  stream(answer, { model, id }) {
    const usage = { ...usageOf(answer), output_tokens: 1 };
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    };
    const pieces = blocksOf(answer).flatMap(({ start, deltas }, index) => {
      const events = deltas.map((delta) => [event({ type: 'content_block_delta', index, delta })]);
      const open = event({ type: 'content_block_start', index, content_block: start });
      const first = [open, ...(events[0] ?? [])];
      const stop = event({ type: 'content_block_stop', index });
      return [first, ...events.slice(1)].map((piece, at, all) => (at === all.length - 1 ? [...piece, stop] : piece));
    });
    const delta = { stop_reason: stopOf(answer), stop_sequence: null };
    const spent = { output_tokens: answer.usage?.output ?? 0 };
    return {
      open: [event({ type: 'message_start', message }), event({ type: 'ping' })],
      pieces,
      close: [event({ type: 'message_delta', delta, usage: spent }), event({ type: 'message_stop' })],
    };
  },

  failure({ status, message, kind }) {
    const types: Record<FakeFailure['kind'], string> = {
      key: 'authentication_error',
      model: 'not_found_error',
      overflow: 'invalid_request_error',
      told: { 429: 'rate_limit_error', 529: 'overloaded_error' }[status] ?? 'api_error',
    };
    return { type: 'error', error: { type: types[kind], message } };
  },
};

interface Block {
  readonly start: Fields;
  readonly deltas: readonly Fields[];
}

function blocksOf({ thoughts, words, calls }: Scripted): Block[] {
  const blocks: Block[] = [];
  if (thoughts.length > 0) {
    const deltas = thoughts.map((thinking) => ({ type: 'thinking_delta', thinking }));
    const signature = { type: 'signature_delta', signature: 'signed' };
    blocks.push({ start: { type: 'thinking', thinking: '', signature: '' }, deltas: [...deltas, signature] });
  }
  if (words.length > 0) {
    blocks.push({
      start: { type: 'text', text: '' },
      deltas: words.map((word) => ({ type: 'text_delta', text: word })),
    });
  }
  for (const call of calls) {
    const half = Math.ceil(call.arguments.length / 2);
    const parts = [call.arguments.slice(0, half), call.arguments.slice(half)];
    const deltas = parts.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    blocks.push({ start: { type: 'tool_use', id: call.id, name: call.name, input: {} }, deltas });
  }
  return blocks;
}

function wholeOf(deltas: readonly Fields[]): Fields {
  const joined = (key: string) => deltas.map((delta) => text(delta[key])).join('');
  if (deltas[0]?.type === 'thinking_delta') return { thinking: joined('thinking'), signature: joined('signature') };
  if (deltas[0]?.type === 'text_delta') return { text: joined('text') };
  return { input: inputOf(joined('partial_json')) };
}

/** Whole answers hold their input as JSON: what is none is told as a text. */
function inputOf(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch (error) {
    if (error instanceof SyntaxError) return written;
    throw error;
  }
}

function stopOf({ finish }: Scripted): string {
  return { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' }[finish];
}

/** Here the cached tokens stand beside the others, not among them. */
function usageOf({ usage }: Scripted): Fields {
  const { input, cached, output } = usage ?? { input: 0, cached: 0, output: 0 };
  return {
    input_tokens: input - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: output,
  };
}

/** A message of the user may hold results of tools. */
function saidOf(message: unknown): Said[] {
  const { role, content } = fields(message);
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : list(content).map(fields);
  const said: Said[] = parts
    .filter(({ type }) => type === 'tool_result')
    .map((part) => ({ role: 'tool', text: resultOf(part.content), images: 0 }));
  const own = parts.filter(({ type }) => type !== 'tool_result');
  if (own.length === 0) return said;
  const words = own.filter(({ type }) => type === 'text').map((part) => text(part.text));
  const images = own.filter(({ type }) => type === 'image').length;
  return [...said, { role: role === 'assistant' ? 'assistant' : 'user', text: words.join('\n'), images }];
}

function resultOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => text(fields(part).text))
    .join('\n');
}

function event(value: Fields): string {
  return `event: ${text(value.type)}\ndata: ${JSON.stringify(value)}\n\n`;
}
