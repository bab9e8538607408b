import { message, type RunResult } from '@rostra/runner-sdk';
import type { Call } from '../command.ts';
import { askedOnce } from '../commands/ask.ts';
import { orRefused } from '../host-parts.ts';
import type { Bilingual, Language } from '../language.ts';
import { spoken } from '../speech.ts';
import { withNext } from './card.ts';

const FILE = 'tour-note.txt';

const opening: Bilingual = {
  en: `I would like to put a small file, ${FILE}, into this conversation, and I do nothing of the kind without your leave. Take your time: the question stands in your inbox, also after a reload of the page and a restart of the server.`,
  zh: `我想在这个对话里放一个小文件 ${FILE}，没有你的同意我不会这么做。不用着急：这个问题会留在你的收件箱里，刷新页面或重启服务之后也在。`,
};
const approved: Bilingual = {
  en: 'You said yes, so the file is there.',
  zh: '你同意了，文件已经放好。',
};
const denied: Bilingual = { en: 'You said no, so nothing was done.', zh: '你没有同意，所以什么也没有做。' };
const unanswered: Bilingual = {
  en: 'Nobody answered in time, so nothing was done.',
  zh: '没有人及时回答，所以什么也没有做。',
};
const note: Bilingual = {
  en: 'An agent asked before it wrote this, and somebody said yes.\n',
  zh: '智能体先征求了同意，得到许可之后才写下这个文件。\n',
};

function question(language: Language) {
  const isChinese = language === 'zh';
  return {
    kind: 'confirmation' as const,
    title: isChinese ? `可以写入 ${FILE} 吗？` : `May I write ${FILE}?`,
    body: isChinese ? '只放进这个对话，别处都不动。' : 'Into this conversation, and nowhere else.',
    actions: [
      { id: 'approve', label: isChinese ? '可以' : 'Yes, write it' },
      { id: 'deny', label: isChinese ? '不要' : 'No' },
    ],
    fallback_text: isChinese ? `可以写入 ${FILE} 吗？` : `May I write ${FILE}? Say yes or no.`,
  };
}

/** Something that is done only after a yes, however long that takes and whatever happens meanwhile. */
export function askFirst(call: Call): AsyncGenerator<RunResult> {
  return orRefused('interactions', call.language, approval(call));
}

async function* approval(call: Call): AsyncGenerator<RunResult> {
  const { language } = call;
  yield* spoken(opening[language]);
  // What comes of it is said below the question.
  yield message(opening[language]);
  const action = await askedOnce(call, question(language));
  if (action === 'approve') yield* orRefused('artifacts', language, written(call));
  else yield* withNext((action === null ? unanswered : denied)[language], language);
}

async function* written({ tools, language }: Call): AsyncGenerator<RunResult> {
  const bytes = Buffer.from(note[language]);
  yield await tools.api.artifacts.upload(bytes, { name: FILE, mime_type: 'text/plain' });
  yield* withNext(approved[language], language);
}
