import { type Dialect, estimate, type FakeFailure, type Fields, fields, list, text } from './dialect.ts';
import type { Heard, Said, Scripted } from './scripted-answer.ts';

/** Google's generateContent. */
export const googleContent: Dialect = {
  hear(body, path): Heard {
    const system = wordsOf(list(fields(body.systemInstruction).parts).map(fields));
    const declared = list(body.tools).flatMap((tool) => list(fields(tool).functionDeclarations));
    const most = fields(body.generationConfig).maxOutputTokens;
    const instructed: Said[] = system === '' ? [] : [{ role: 'system', text: system, images: 0 }];
    return {
      model: /\/models\/([^:/]+):/.exec(path)?.[1] ?? '',
      said: [...instructed, ...list(body.contents).flatMap(saidOf)],
      tools: declared.map((tool) => text(fields(tool).name)),
      max_tokens: typeof most === 'number' ? most : null,
      tokens: estimate(body),
    };
  },

  whole(answer, about) {
    const parts = partsOf(answer).flat();
    return {
      candidates: [{ content: { role: 'model', parts }, finishReason: finishOf(answer), index: 0 }],
      ...endOf(answer, about),
    };
  },

  stream(answer, about) {
    const event = (parts: readonly Fields[]) =>
      line({ candidates: [{ content: { role: 'model', parts }, index: 0 }], modelVersion: about.model });
    const last = { content: { role: 'model', parts: [] }, finishReason: finishOf(answer), index: 0 };
    return {
      open: [],
      pieces: partsOf(answer).map((parts) => [event(parts)]),
      close: [line({ candidates: [last], ...endOf(answer, about) })],
    };
  },

  failure({ status, message, kind }) {
    const names: Record<FakeFailure['kind'], string> = {
      key: 'UNAUTHENTICATED',
      model: 'NOT_FOUND',
      overflow: 'INVALID_ARGUMENT',
      told: status === 429 ? 'RESOURCE_EXHAUSTED' : 'UNAVAILABLE',
    };
    const said =
      kind === 'overflow' ? `The input token count exceeds the maximum number of tokens allowed. ${message}` : message;
    return { error: { code: status, message: said, status: names[kind] } };
  },
};

function partsOf({ thoughts, words, calls }: Scripted): Fields[][] {
  return [
    ...thoughts.map((word) => [{ text: word, thought: true }]),
    ...words.map((word) => [{ text: word }]),
    ...calls.map((call) => [{ functionCall: { name: call.name, args: argumentsOf(call.arguments) } }]),
  ];
}

/** Google gives arguments as JSON: broken ones cannot be told, only wrong ones. */
function argumentsOf(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch (error) {
    if (error instanceof SyntaxError) return written;
    throw error;
  }
}

function finishOf({ finish }: Scripted): string {
  return finish === 'length' ? 'MAX_TOKENS' : 'STOP';
}

function endOf({ usage }: Scripted, { model, id }: { model: string; id: string }): Fields {
  if (usage === null) return { modelVersion: model, responseId: id };
  const { input, cached, output, reasoning } = usage;
  const counted = {
    promptTokenCount: input,
    cachedContentTokenCount: cached,
    candidatesTokenCount: output - reasoning,
    thoughtsTokenCount: reasoning,
    totalTokenCount: input + output,
  };
  return { modelVersion: model, responseId: id, usageMetadata: counted };
}

function saidOf(content: unknown): Said[] {
  const { role, parts } = fields(content);
  const all = list(parts).map(fields);
  const results = all.filter((part) => part.functionResponse !== undefined);
  if (results.length > 0) {
    return results.map((part) => ({ role: 'tool', text: JSON.stringify(part.functionResponse), images: 0 }));
  }
  const images = all.filter((part) => part.inlineData !== undefined).length;
  return [{ role: role === 'model' ? 'assistant' : 'user', text: wordsOf(all), images }];
}

function wordsOf(parts: readonly Fields[]): string {
  return parts
    .filter((part) => part.thought !== true)
    .map((part) => text(part.text))
    .join('\n');
}

function line(value: Fields): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
