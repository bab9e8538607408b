import { type Command, misused } from '../command.ts';
import { absent } from '../host-parts.ts';

export const handover: Command = {
  name: '/handover',
  parameters: 'AGENT REASON',
  about: { en: 'passes the conversation to another agent, if you agree', zh: '经你同意后把对话移交给另一个智能体' },
  async *run({ args, language, voice }) {
    if (args.length < 2) {
      const other = voice === 'guide' ? 'scout' : 'guide';
      const en = `AGENT is a name and REASON a few words; try /handover ${other} needs detail.`;
      yield* misused(handover, { en, zh: `AGENT 是名字，REASON 是理由，例如 /handover ${other} 需要细节。` }, language);
      return;
    }
    yield* absent('handover', language);
  },
};
