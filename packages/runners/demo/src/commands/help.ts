import { text } from '@rostra/runner-sdk';
import { type Command, usageOf } from '../command.ts';
import { introductions } from '../voice.ts';

/** Lists the commands it is given, itself first. */
export function helpFor(others: readonly Command[]): Command {
  const help: Command = {
    name: '/help',
    parameters: '',
    about: { en: 'this list', zh: '这份列表' },
    async *run({ language, voice }) {
      yield text(`${introductions[voice][language]}\n`);
      for (const command of [help, ...others]) {
        yield text(`\n- \`${usageOf(command)}\` ${language === 'zh' ? '' : '– '}${command.about[language]}`);
      }
      const en = '\n\nAnything else you write gets a short answer about Rostra.';
      yield text({ en, zh: '\n\n其他任何文字都会得到一段关于 Rostra 的简短回答。' }[language]);
    },
  };
  return help;
}
