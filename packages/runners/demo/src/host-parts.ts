import { ApiError, type RunResult } from '@rostra/runner-sdk';
import type { Bilingual, Language } from './language.ts';
import { spoken } from './speech.ts';

/** Parts of the host that a command needs, and what is said where this run was not granted one. */
export type HostPart = keyof typeof notGranted;

const notGranted = {
  client_tools: {
    en: 'Your application offers no tools: what it puts into the `tools` of a run, I can ask it to run.',
    zh: '你的应用没有提供工具：它放进运行请求 `tools` 里的工具，我可以请它执行。',
  },
  artifacts: {
    en: 'I may not keep files here: this host, or the grants of this agent, do not allow artifacts.',
    zh: '我在这里不能保存文件：主机或这个智能体的授权不允许使用产物。',
  },
  state: {
    en: 'I may not keep values here: this host, or the grants of this agent, do not allow state.',
    zh: '我在这里不能保存值：主机或这个智能体的授权不允许使用状态。',
  },
  history: {
    en: 'I may not read what was said before: this host, or the grants of this agent, do not allow the history.',
    zh: '我不能读取之前的对话：主机或这个智能体的授权不允许读取历史。',
  },
  interactions: {
    en: 'I may not ask you anything and wait for the answer: this host, or the grants of this agent, do not allow questions.',
    zh: '我不能向你提问并等待回答：主机或这个智能体的授权不允许提问。',
  },
} as const satisfies Record<string, Bilingual>;

export function absent(part: HostPart, language: Language): Generator<RunResult> {
  return spoken(notGranted[part][language]);
}

/** What a command says where the host refuses it: one sentence, and the run ends well. What is no refusal is thrown. */
export async function* orRefused(
  part: HostPart,
  language: Language,
  results: AsyncIterable<RunResult>,
): AsyncGenerator<RunResult> {
  try {
    yield* results;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'unauthorized') yield* absent(part, language);
    else yield* spoken(language === 'zh' ? `主机拒绝了：${error.message}` : `The host refused: ${error.message}`);
  }
}
