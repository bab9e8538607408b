import type { RunResult } from '@rostra/runner-sdk';
import type { Bilingual, Language } from './language.ts';
import { spoken } from './speech.ts';

/** Parts of the host that a command would need and that do not exist yet. A part that arrives leaves this list. */
export type AbsentPart = keyof typeof absentParts;

const absentParts = {
  client_tools: {
    en: 'This host cannot ask your application to run a tool yet; client tools will come with the AG-UI profile of the run API.',
    zh: '这个主机还不能请你的应用执行工具；客户端工具会随运行接口的 AG-UI 模式一起到来。',
  },
  artifacts: {
    en: 'This host cannot keep files yet; the artifact store will, and this command will then make one of the size you asked for.',
    zh: '这个主机还不能保存文件；产物存储完成后，这个命令会生成你要求大小的文件。',
  },
  state: {
    en: 'This host grants no state to runs yet; the state store will, and the value will then still be there in the next turn.',
    zh: '这个主机还没有给运行授予状态；状态存储完成后，这个值在下一轮仍然会在。',
  },
  history: {
    en: 'This host lets no run read its history yet; the transcript will, and this command will then show the last messages.',
    zh: '这个主机还不允许运行读取历史；对话记录完成后，这个命令会显示最近的消息。',
  },
  handover: {
    en: 'This host cannot show you a handover to confirm yet; the interaction inbox will, and the other agent will then answer in this session.',
    zh: '这个主机还不能让你确认移交；交互收件箱完成后，另一个智能体会在这个会话里接着回答。',
  },
  interactions: {
    en: 'This host cannot put a question to you and wait for the answer yet; the interaction inbox will.',
    zh: '这个主机还不能向你提问并等待回答；交互收件箱完成后就可以。',
  },
} as const satisfies Record<string, Bilingual>;

export function absent(part: AbsentPart, language: Language): Generator<RunResult> {
  return spoken(absentParts[part][language]);
}
