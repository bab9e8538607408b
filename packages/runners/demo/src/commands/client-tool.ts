import { ApiError, type Json } from '@rostra/runner-sdk';
import { type Call, type Command, misused } from '../command.ts';
import { absent } from '../host-parts.ts';
import { spoken } from '../speech.ts';

type Parameters = Record<string, Json>;

function objectIn(text: string): Parameters | null {
  try {
    const value: Json = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

export const clientTool: Command = {
  name: '/client-tool',
  parameters: 'NAME[,NAME] JSON',
  about: {
    en: 'asks your application to run one of its tools, or two at once',
    zh: '请你的应用执行它的一个工具，或同时执行两个',
  },
  async *run(call) {
    const { language, context } = call;
    const [names = '', ...rest] = call.args;
    const parameters = names === '' ? null : objectIn(rest.join(' '));
    if (parameters === null) {
      const en = 'JSON is an object; try /client-tool get_weather {"city":"Beijing"}.';
      const zh = 'JSON 是一个对象，例如 /client-tool get_weather {"city":"北京"}。';
      yield* misused(clientTool, { en, zh }, language);
      return;
    }
    const wanted = names.split(',').filter((name) => name !== '');
    const offered = context.resources.tools.filter(({ tool_type }) => tool_type === 'client');
    if (offered.length === 0) {
      yield* absent('client_tools', language);
      return;
    }
    const missing = wanted.find((name) => !offered.some(({ tool_name }) => tool_name === name));
    if (missing !== undefined) {
      const has = offered.map(({ tool_name }) => tool_name).join(', ');
      yield* spoken(
        language === 'zh'
          ? `你的应用没有提供 ${missing}；它提供了：${has}。`
          : `Your application offers no ${missing}; it offers ${has}.`,
      );
      return;
    }
    yield* called(call, wanted, parameters);
  },
};

async function* called({ tools, language }: Call, names: readonly string[], parameters: Parameters) {
  const sentences = await Promise.all(
    names.map(async (tool_name) => {
      try {
        const { result } = await tools.api.tools.call({ tool_name, parameters });
        const text = typeof result === 'string' ? result : JSON.stringify(result);
        return language === 'zh' ? `${tool_name} 返回了：${text}` : `${tool_name} says: ${text}`;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return error.message;
      }
    }),
  );
  yield* spoken(sentences.join('\n'));
}
