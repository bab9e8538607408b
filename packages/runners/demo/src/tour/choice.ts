import type { Bilingual } from '../language.ts';

/** What the tour shows, in the order of its numbers. */
export const choices = ['two_agents', 'ask_first', 'break_it', 'real_model'] as const;
export type Choice = (typeof choices)[number];

export const labels: Readonly<Record<Choice, Bilingual>> = {
  two_agents: { en: 'Two agents', zh: '两个智能体' },
  ask_first: { en: 'Ask me first', zh: '先问我' },
  break_it: { en: 'Break it', zh: '试着弄坏它' },
  real_model: { en: 'Use a real model', zh: '使用真实模型' },
};

export const abouts: Readonly<Record<Choice, Bilingual>> = {
  two_agents: {
    en: 'One agent uses a tool, then asks you to let another one go on with what was said.',
    zh: '一个智能体先调用工具，再请你同意由另一个智能体接着说。',
  },
  ask_first: {
    en: 'An agent asks for your leave and waits for it, over a reload and a restart.',
    zh: '智能体先征求你的同意并一直等待，刷新页面或重启服务也不会丢。',
  },
  break_it: {
    en: 'A 40-second answer: reload, open a second tab, stop it, restart the server.',
    zh: '一段 40 秒的回答：刷新页面、再开一个标签页、停止、重启服务。',
  },
  real_model: {
    en: 'What was found on this machine, and the two lines that it takes.',
    zh: '在这台机器上找到了什么，以及需要的两行命令。',
  },
};

const closing = /[\s.,:;!?)、。，：；！？）]+$/u;

/** The choice that a text names by its number or its label, in either language; null for any other text. */
export function choiceOf(text: string): Choice | null {
  const said = text.normalize('NFKC').trim().replace(closing, '').toLowerCase();
  const byNumber = /^[1-9]$/.test(said) ? choices[Number(said) - 1] : undefined;
  const byLabel = choices.find((choice) => Object.values(labels[choice]).some((label) => label.toLowerCase() === said));
  return byNumber ?? byLabel ?? null;
}
