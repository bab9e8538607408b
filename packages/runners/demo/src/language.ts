import type { AgentRunContext } from '@rostra/runner-sdk';

export type Language = 'en' | 'zh';
export type Bilingual = Readonly<Record<Language, string>>;

const han = /\p{Script=Han}/u;

/** The language of the question; where it has none of its own (a bare command, a picture), that of the client. */
export function languageOf({ input, runtime }: AgentRunContext): Language {
  const text = input.text ?? '';
  if (han.test(text)) return 'zh';
  const isPlainWords = /\p{Letter}/u.test(text) && !text.trimStart().startsWith('/');
  return !isPlainWords && /^zh\b/i.test(runtime.locale?.replace('_', '-') ?? '') ? 'zh' : 'en';
}
