import { type AgentRunContext, type Json, type RunResult, type RunTools, resumed } from '@rostra/runner-sdk';
import type { Call, Command } from '../command.ts';
import { orRefused } from '../host-parts.ts';
import type { Bilingual } from '../language.ts';
import { spoken } from '../speech.ts';

const waiting: Bilingual = {
  en: 'I have a question for you. ',
  zh: '我有一个问题要问你。',
};
const confirmed: Bilingual = { en: 'You confirmed it, so on we go.', zh: '你确认了，我们继续。' };
const declined: Bilingual = { en: 'You said no, so I leave it.', zh: '你拒绝了，那就算了。' };
const unanswered: Bilingual = { en: 'Nobody answered in time, so I leave it.', zh: '没有人及时回答，那就算了。' };

export const ask: Command = {
  name: '/ask',
  parameters: '',
  about: { en: 'asks you to confirm something and waits', zh: '请你确认一件事并等待' },
  run: (call) => orRefused('interactions', call.language, asked(call)),
};

async function* asked(call: Call): AsyncGenerator<RunResult> {
  const { language } = call;
  yield* spoken(waiting[language]);
  yield* spoken(sentenceFor(await askedOnce(call, question(language)))[language]);
}

function sentenceFor(action: Json): Bilingual {
  if (action === null) return unanswered;
  return action === 'confirm' ? confirmed : declined;
}

function question(language: Call['language']) {
  const isChinese = language === 'zh';
  return {
    kind: 'confirmation' as const,
    title: isChinese ? '要继续吗？' : 'Shall I go on?',
    body: isChinese ? '演示按照你的要求提问。' : 'The demo asks because you told it to.',
    actions: [
      { id: 'confirm', label: isChinese ? '继续' : 'Go on' },
      { id: 'cancel', label: isChinese ? '算了' : 'Leave it' },
    ],
    fallback_text: isChinese ? '要继续吗？请回答“是”或“否”。' : 'Shall I go on? Say yes or no.',
  };
}

/**
 * The action that somebody chose; null when nobody did in time. What an earlier attempt asked is not asked again: its
 * answer comes with the attempt that goes on.
 */
export async function askedOnce({ context, tools }: Call, asking: Parameters<RunTools['ask']>[0]): Promise<Json> {
  const answer = answeredBefore(context);
  if (answer !== null) return answer.action;
  // Who follows the run reads of the question before it is put: with it, a stream of an AG-UI client ends.
  await tools.flushed();
  return (await tools.ask(asking))?.action ?? null;
}

function answeredBefore(context: AgentRunContext): { action: Json } | null {
  const answer = resumed(context)?.interaction_answer;
  if (answer === undefined || answer === null || typeof answer !== 'object' || Array.isArray(answer)) return null;
  return { action: answer.action_id ?? null };
}
