import { type Dialect, estimate, type Fields, fields, list, text } from './dialect.ts';
import { openaiChat } from './openai-chat.ts';
import type { Heard, Said, Scripted } from './scripted-answer.ts';

/** OpenAI's responses. */
export const openaiResponses: Dialect = {
  hear(body): Heard {
    const instructed: Said[] =
      text(body.instructions) === '' ? [] : [{ role: 'system', text: text(body.instructions), images: 0 }];
    return {
      model: text(body.model),
      said: [...instructed, ...joined(list(body.input).map(fields))],
      tools: list(body.tools).map((tool) => text(fields(tool).name)),
      max_tokens: typeof body.max_output_tokens === 'number' ? body.max_output_tokens : null,
      tokens: estimate(body),
    };
  },

  whole(answer, about) {
    return responseOf(answer, about, itemsOf(answer, about.id));
  },

  stream(answer, about) {
    const start = responseOf({ ...answer, usage: null, finish: 'stop' }, about, []);
    const items = itemsOf(answer, about.id);
    const end = answer.finish === 'length' ? 'response.incomplete' : 'response.completed';
    return {
      open: [event('response.created', { response: { ...start, status: 'in_progress' } })],
      pieces: items.flatMap((item, output_index) => piecesOf(answer, item, output_index)),
      close: [event(end, { response: responseOf(answer, about, items) })],
    };
  },

  failure: openaiChat.failure,
};

/** What belongs to one step of the model is one message of it. */
function joined(items: readonly Fields[]): Said[] {
  const said: Said[] = [];
  for (const item of items) {
    const next = saidOf(item);
    const last = said.at(-1);
    if (next.role === 'assistant' && last?.role === 'assistant') {
      said[said.length - 1] = { ...last, text: [last.text, next.text].filter((part) => part !== '').join('\n') };
    } else said.push(next);
  }
  return said;
}

function saidOf(item: Fields): Said {
  if (item.type === 'function_call_output') return { role: 'tool', text: outputOf(item.output), images: 0 };
  if (item.type === 'function_call' || item.type === 'reasoning') return { role: 'assistant', text: '', images: 0 };
  const parts = typeof item.content === 'string' ? [{ text: item.content }] : list(item.content).map(fields);
  const images = parts.filter(({ type }) => type === 'input_image').length;
  const role = item.role === 'user' || item.role === 'assistant' ? item.role : 'system';
  return { role, text: parts.map((part) => text(part.text)).join('\n'), images };
}

function outputOf(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}

function itemsOf({ thoughts, words, calls }: Scripted, id: string): Fields[] {
  const items: Fields[] = [];
  if (thoughts.length > 0) {
    items.push({ type: 'reasoning', id: `rs_${id}`, summary: [{ type: 'summary_text', text: thoughts.join('') }] });
  }
  if (words.length > 0) {
    const content = [{ type: 'output_text', text: words.join(''), annotations: [] }];
    items.push({ type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content });
  }
  for (const call of calls) {
    const { name, arguments: given } = call;
    items.push({
      type: 'function_call',
      id: `fc_${call.id}`,
      call_id: call.id,
      name,
      arguments: given,
      status: 'completed',
    });
  }
  return items;
}

function piecesOf({ thoughts, words }: Scripted, item: Fields, output_index: number): string[][] {
  const item_id = item.id;
  const added = (empty: Fields) => event('response.output_item.added', { output_index, item: { ...item, ...empty } });
  const done = event('response.output_item.done', { output_index, item });
  const part = { item_id, output_index, summary_index: 0 };
  const deltas = (type: string, all: readonly string[]) =>
    all.map((delta) => [event(type, { ...part, content_index: 0, delta })]);
  if (item.type === 'reasoning') {
    const shown = [added({ summary: [] }), event('response.reasoning_summary_part.added', part)];
    const over = [event('response.reasoning_summary_part.done', part), done];
    return wrapped(shown, deltas('response.reasoning_summary_text.delta', thoughts), over);
  }
  if (item.type === 'message')
    return wrapped([added({ content: [] })], deltas('response.output_text.delta', words), [done]);
  const given = { item_id, output_index, arguments: item.arguments };
  const whole = [event('response.function_call_arguments.delta', { ...given, delta: item.arguments })];
  return wrapped([added({ arguments: '' })], [whole], [event('response.function_call_arguments.done', given), done]);
}

function wrapped(first: readonly string[], pieces: readonly string[][], last: readonly string[]): string[][] {
  return pieces.map((piece, at) => [...(at === 0 ? first : []), ...piece, ...(at === pieces.length - 1 ? last : [])]);
}

function responseOf(answer: Scripted, { model, id }: { model: string; id: string }, output: readonly Fields[]): Fields {
  const cut = answer.finish === 'length';
  const about = { id: `resp_${id}`, object: 'response', created_at: 0, model, output };
  const status = cut ? 'incomplete' : 'completed';
  const incomplete_details = cut ? { reason: 'max_output_tokens' } : null;
  return { ...about, status, incomplete_details, ...(answer.usage && { usage: usageOf(answer.usage) }) };
}

function usageOf({ input, cached, output, reasoning }: NonNullable<Scripted['usage']>): Fields {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

function event(type: string, value: Fields): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 0, ...value })}\n\n`;
}
