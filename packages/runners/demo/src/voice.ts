import type { AgentRunContext } from '@rostra/runner-sdk';
import type { Bilingual } from './language.ts';

/** The two agents that this one runner plays: `guide` shows the way, `scout` digs for detail. */
export type Voice = 'guide' | 'scout';

export function voiceOf({ config }: AgentRunContext): Voice {
  return (config.name ?? config.agent_id) === 'scout' ? 'scout' : 'guide';
}

export const introductions: Readonly<Record<Voice, Bilingual>> = {
  guide: {
    en: 'I am guide: I show you around. These commands show what this host does:',
    zh: '我是 guide，负责带路。下面的命令展示这个主机能做什么：',
  },
  scout: {
    en: 'I am scout: I look under the hood. Each of these commands exercises one part of the host:',
    zh: '我是 scout，负责看细节。下面每个命令都会用到主机的一个部分：',
  },
};
