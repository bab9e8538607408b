import type { Json, RunResult } from '@rostra/runner-sdk';
import { type Call, type Command, misused } from '../command.ts';
import { absent, orRefused } from '../host-parts.ts';
import { spoken } from '../speech.ts';

const KEY_BYTES_MAX = 128;
const scope = 'conversation';

export const state: Command = {
  name: '/state',
  parameters: 'KEY [VALUE]',
  about: {
    en: 'keeps a value for this session, or says what is kept under KEY',
    zh: '为这个会话保存一个值，或说出 KEY 下保存的值',
  },
  async *run(call) {
    const { args, language, context } = call;
    const [key, ...words] = args;
    if (key === undefined || Buffer.byteLength(key) > KEY_BYTES_MAX) {
      const en = `KEY is one word of at most ${KEY_BYTES_MAX} bytes, VALUE the rest; try /state colour blue.`;
      const zh = `KEY 是一个不超过 ${KEY_BYTES_MAX} 字节的词，VALUE 是其余部分，例如 /state colour blue。`;
      yield* misused(state, { en, zh }, language);
      return;
    }
    if (!context.context.available_apis.state) {
      yield* absent('state', language);
      return;
    }
    yield* orRefused('state', language, words.length > 0 ? kept(call, key, words.join(' ')) : read(call, key));
  },
};

async function* kept({ tools, language }: Call, key: string, value: string): AsyncGenerator<RunResult> {
  await tools.api.state.set({ scope, key, value });
  const en = `I keep ${key} = ${value}. Ask for it with /state ${key} in any later turn, also after a restart.`;
  yield* spoken(
    { en, zh: `已保存 ${key} = ${value}。之后任何一轮（包括重启之后）都可以用 /state ${key} 查询。` }[language],
  );
}

async function* read({ tools, context, language }: Call, key: string): AsyncGenerator<RunResult> {
  const { value } = await tools.api.state.get({ scope, key });
  if (value === null) {
    const en = `Nothing is kept under ${key}; try /state ${key} blue.`;
    yield* spoken({ en, zh: `${key} 下没有保存任何值，例如 /state ${key} blue。` }[language]);
    return;
  }
  const wasTold = Object.hasOwn(context.state.conversation, key);
  const en = wasTold
    ? ' An earlier turn kept it, and this one was told of it at its start.'
    : ' An earlier turn kept it.';
  const zh = wasTold ? '它由之前的一轮保存，这一轮开始时就已得知。' : '它由之前的一轮保存。';
  yield* spoken(language === 'zh' ? `${key} = ${shown(value)}。${zh}` : `${key} = ${shown(value)}.${en}`);
}

function shown(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
