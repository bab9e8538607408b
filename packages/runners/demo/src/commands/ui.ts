import { type Json, message } from '@rostra/runner-sdk';
import type { Command } from '../command.ts';
import type { Language } from '../language.ts';

const words = {
  en: { locale: 'en-US', title: 'Event created', body: 'Your meeting was created successfully' },
  zh: { locale: 'zh-CN', title: '日程已创建', body: '您的会议日程创建成功' },
} as const;

function card(language: Language): Json {
  const { locale, title, body } = words[language];
  const children: Json[] = [
    { type: 'text', content: title, role: 'title' },
    { type: 'badge', label: 'SUCCESS', status: 'success' },
    { type: 'text', content: body, role: 'body' },
  ];
  return { status: 'success', locale, root: { type: 'stack', appearance: 'card', children } };
}

export const ui: Command = {
  name: '/ui',
  parameters: '',
  about: {
    en: 'a message with a card; where cards are not drawn yet, its text stands for it',
    zh: '一条带卡片的消息；还不能显示卡片的地方由文字代替',
  },
  async *run({ language }) {
    const { title, body } = words[language];
    const sentence = language === 'zh' ? `${title}：${body}。` : `${title}: ${body}.`;
    yield message(sentence, { ui_hints: card(language) });
  },
};
