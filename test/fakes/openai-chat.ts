import { type Dialect, estimate, type FakeFailure, type Fields, fields, list, text } from './dialect.ts';
import type { Heard, Said, Scripted, Usage } from './scripted-answer.ts';

/** OpenAI's chat completions, as OpenAI and the many servers like it speak them. */
export const openaiChat: Dialect = {
  hear(body): Heard {
    const tools = list(body.tools).map((tool) => text(fields(fields(tool).function).name));
    const most = body.max_completion_tokens ?? body.max_tokens;
    return {
      model: text(body.model),
      said: list(body.messages).map(saidOf),
      tools,
      max_tokens: typeof most === 'number' ? most : null,
      tokens: estimate(body),
    };
  },

  whole(answer, { model, id }) {
    const message = {
      role: 'assistant',
      content: answer.words.length > 0 ? answer.words.join('') : null,
      ...(answer.thoughts.length > 0 && { reasoning_content: answer.thoughts.join('') }),
      ...(answer.calls.length > 0 && { tool_calls: answer.calls.map(callOf) }),
    };
    const choices = [{ index: 0, message, finish_reason: answer.finish }];
    return { id, object: 'chat.completion', created: 0, model, choices, ...(answer.usage && usageOf(answer.usage)) };
  },

  stream(answer, { model, id }) {
    const event = (delta: Fields, finish: string | null = null) =>
      line({
        id,
        object: 'chat.completion.chunk',
        created: 0,
        model,
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
    return {
      open: [event({ role: 'assistant', content: '' })],
      pieces: [
        ...answer.thoughts.map((word) => [event({ reasoning_content: word })]),
        ...answer.words.map((word) => [event({ content: word })]),
        ...answer.calls.map((call, index) => callEvents(call, index).map((delta) => event(delta))),
      ],
      close: [
        event({}, answer.finish),
        ...(answer.usage
          ? [line({ id, object: 'chat.completion.chunk', created: 0, model, choices: [], ...usageOf(answer.usage) })]
          : []),
        'data: [DONE]\n\n',
      ],
    };
  },

  failure({ message, kind }) {
    const types: Record<FakeFailure['kind'], [string, string | null]> = {
      key: ['invalid_request_error', 'invalid_api_key'],
      model: ['invalid_request_error', 'model_not_found'],
      overflow: ['invalid_request_error', 'context_length_exceeded'],
      told: ['server_error', null],
    };
    const [type, code] = types[kind];
    return { error: { message, type, param: null, code } };
  },
};

/** The arguments come in two halves, as they do. */
function callEvents(call: Scripted['calls'][number], index: number): Fields[] {
  const half = Math.ceil(call.arguments.length / 2);
  const first = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } };
  const parts = [call.arguments.slice(0, half), call.arguments.slice(half)].filter((part) => part !== '');
  return [
    { tool_calls: [first] },
    ...parts.map((part) => ({ tool_calls: [{ index, function: { arguments: part } }] })),
  ];
}

function callOf(call: Scripted['calls'][number]): Fields {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } };
}

function usageOf({ input, cached, output, reasoning }: Usage): Fields {
  return {
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens_details: { reasoning_tokens: reasoning },
    },
  };
}

function saidOf(message: unknown): Said {
  const { role, content } = fields(message);
  const parts = Array.isArray(content) ? content.map(fields) : [{ type: 'text', text: text(content) }];
  const words = parts.filter(({ type }) => type === 'text').map((part) => text(part.text));
  const images = parts.filter(({ type }) => type === 'image_url').length;
  return { role: roleOf(text(role)), text: words.join('\n'), images };
}

function roleOf(role: string): Said['role'] {
  if (role === 'user' || role === 'assistant' || role === 'tool') return role;
  return 'system';
}

function line(value: Fields): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
