import { type Command, misused } from '../command.ts';
import { absent } from '../host-parts.ts';

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

export const clientTool: Command = {
  name: '/client-tool',
  parameters: 'NAME JSON',
  about: { en: 'asks your application to run one of its tools', zh: '请你的应用执行它的一个工具' },
  async *run({ args: [name, ...rest], language }) {
    if (name === undefined || !isJsonObject(rest.join(' '))) {
      const en = 'JSON is an object; try /client-tool get_weather {"city":"Beijing"}.';
      const zh = 'JSON 是一个对象，例如 /client-tool get_weather {"city":"北京"}。';
      yield* misused(clientTool, { en, zh }, language);
      return;
    }
    yield* absent('client_tools', language);
  },
};
