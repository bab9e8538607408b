import type { RunResult } from '@rostra/runner-sdk';
import type { Bilingual, Language } from '../language.ts';
import type { Voice } from '../voice.ts';
import { withChoices } from './card.ts';
import { choices, labels } from './choice.ts';

const about: Bilingual = {
  en: 'Rostra runs agents, keeps all that they say and do, and lets you come back to it at any time. I need no model and no key, so I can show you at once.',
  zh: 'Rostra 运行智能体，保存它们所说和所做的一切，让你随时可以回来继续。我不需要模型，也不需要密钥，现在就可以演示。',
};

/** The beginning of the tour: who speaks here, and what there is to see. */
export function greeting(language: Language, voice: Voice): Iterable<RunResult> {
  const listed = choices.map((choice, index) => `${index + 1} ${labels[choice][language]}`);
  const words =
    language === 'zh'
      ? `你好，我是 ${voice}。${about.zh}\n\n请选择，或输入数字：${listed.join('、')}。`
      : `Hello, I am ${voice}. ${about.en}\n\nChoose one, or type its number: ${listed.join(', ')}.`;
  return withChoices(words, language);
}
