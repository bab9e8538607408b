import { type Command, misused } from '../command.ts';
import { absent } from '../host-parts.ts';
import { spoken } from '../speech.ts';

const KEY_CHARS_MAX = 128;

export const state: Command = {
  name: '/state',
  parameters: 'KEY VALUE',
  about: { en: 'remembers a value for this session', zh: '为这个会话记住一个值' },
  async *run({ args: [key, ...words], language, context }) {
    if (key === undefined || key.length > KEY_CHARS_MAX || words.length === 0) {
      const en = `KEY is one word of at most ${KEY_CHARS_MAX} characters, VALUE the rest; try /state colour blue.`;
      const zh = `KEY 是一个不超过 ${KEY_CHARS_MAX} 个字符的词，VALUE 是其余部分，例如 /state colour blue。`;
      yield* misused(state, { en, zh }, language);
      return;
    }
    if (!context.context.available_apis.state) {
      yield* absent('state', language);
      return;
    }
    yield { type: 'state.updated', data: { scope: 'conversation', key, value: words.join(' ') } };
    yield* spoken(language === 'zh' ? '已请主机保存这个值。' : 'I asked the host to keep that value.');
  },
};
