import type { RunResult, TranscriptItem } from '@rostra/runner-sdk';
import type { Call, Command } from '../command.ts';
import { absent, orRefused } from '../host-parts.ts';
import { spoken } from '../speech.ts';

const READ_MAX = 1000;
const SHOWN = 5;
const SEARCHED = 20;
const LINE_CHARS = 120;

export const history: Command = {
  name: '/history',
  parameters: '[WORDS]',
  about: {
    en: 'reads what was said before in this session, or searches it for WORDS',
    zh: '读取这个会话之前的内容，或搜索 WORDS',
  },
  async *run(call) {
    const { context, args, language } = call;
    const isSearch = args.length > 0;
    const { history_page, history_search } = context.context.available_apis;
    if (isSearch ? history_search : history_page) {
      yield* orRefused('history', language, isSearch ? found(call) : read(call));
    } else yield* absent('history', language);
  },
};

/** Everything before this message, page by page; a very long session is not read to its beginning. */
async function* read({ tools, context, language }: Call): AsyncGenerator<RunResult> {
  let count = 0;
  const last: TranscriptItem[] = [];
  for await (const item of tools.api.history.items()) {
    // The newest is the question itself.
    if (count === 0 && item.role === 'user' && item.content === context.input.text) continue;
    count += 1;
    if (last.length < SHOWN) last.unshift(item);
    if (count === READ_MAX) break;
  }
  if (count === 0) {
    yield* spoken({ en: 'Nothing was said before this.', zh: '在此之前什么也没说过。' }[language]);
    return;
  }
  const many =
    count === READ_MAX ? { en: `at least ${count}`, zh: `至少 ${count}` } : { en: `${count}`, zh: `${count}` };
  const en = `I read ${many.en} ${count === 1 ? 'message' : 'messages'} of this session. The last of them:`;
  yield* spoken({ en, zh: `我读了这个会话的 ${many.zh} 条消息。最近的几条：` }[language]);
  yield* spoken(listed(last));
}

async function* found({ args, tools, language }: Call): AsyncGenerator<RunResult> {
  const query = args.join(' ');
  const { items } = await tools.api.history.search({ query, top_k: SEARCHED });
  // Those who searched before wrote these words, too.
  const hits = items.filter(({ content }) => !/^\s*\/history\b/i.test(content)).slice(0, SHOWN);
  if (hits.length === 0) {
    const en = `Nothing that was said here before is about “${query}”.`;
    yield* spoken({ en, zh: `之前没有说过和“${query}”有关的内容。` }[language]);
    return;
  }
  yield* spoken({ en: `What was said about “${query}”:`, zh: `和“${query}”有关的内容：` }[language]);
  yield* spoken(listed(hits));
}

function listed(items: readonly TranscriptItem[]): string {
  return items.map(({ role, content }) => `\n- ${role}: ${line(content)}`).join('');
}

function line(content: string): string {
  const text = content.replaceAll(/\s+/g, ' ').trim();
  return text.length > LINE_CHARS ? `${text.slice(0, LINE_CHARS)}…` : text;
}
