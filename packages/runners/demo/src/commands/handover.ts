import type { AgentRunContext } from '@rostra/runner-sdk';
import { type Command, misused } from '../command.ts';
import type { Language } from '../language.ts';
import { spoken } from '../speech.ts';

export const handover: Command = {
  name: '/handover',
  parameters: 'AGENT REASON',
  about: { en: 'passes the conversation to another agent, if you agree', zh: '经你同意后把对话移交给另一个智能体' },
  async *run({ args, language, voice, context }) {
    const other = voice === 'guide' ? 'scout' : 'guide';
    if (args.length < 2) {
      const en = `AGENT is a name and REASON a few words; try /handover ${other} needs detail.`;
      yield* misused(handover, { en, zh: `AGENT 是名字，REASON 是理由，例如 /handover ${other} 需要细节。` }, language);
      return;
    }
    const [agent_id = '', ...words] = args;
    if (agent_id === voice) {
      const en = `You are talking to ${voice} already; try /handover ${other} needs detail.`;
      yield* misused(handover, { en, zh: `现在和你说话的就是 ${voice}，例如 /handover ${other} 需要细节。` }, language);
      return;
    }
    const en = `I ask to hand this conversation over to ${agent_id}; if ${agent_id} takes part in it, that is yours to confirm.`;
    yield* spoken(
      language === 'zh' ? `我请求把这个对话移交给 ${agent_id}；如果 ${agent_id} 在这个会话里，请你确认。` : en,
    );
    const payload = { reason: words.join(' '), summary: summaryOf(context, language) };
    yield { type: 'action.requested', data: { action: 'session.handover', target: { agent_id }, payload } };
  },
};

function summaryOf({ actor }: AgentRunContext, language: Language): string {
  const who = actor?.actor_id ?? '';
  return language === 'zh' ? `${who} 请求了移交。` : `${who} asked for the handover.`;
}
