import type { Command } from '../command.ts';
import { absent } from '../host-parts.ts';
import { spoken } from '../speech.ts';

export const history: Command = {
  name: '/history',
  parameters: '',
  about: { en: 'shows the last messages of this session', zh: '显示这个会话最近的消息' },
  async *run({ language, context }) {
    if (!context.context.available_apis.history_page) {
      yield* absent('history', language);
      return;
    }
    const en = 'This host would let me read the history, but this version of the demo does not ask for it.';
    yield* spoken({ en, zh: '这个主机允许我读取历史，但这个版本的演示还不会去读。' }[language]);
  },
};
