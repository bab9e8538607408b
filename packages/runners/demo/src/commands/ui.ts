import { type Json, message } from '@rostra/runner-sdk';
import type { Command } from '../command.ts';
import type { Language } from '../language.ts';

const words = {
  en: {
    locale: 'en-US',
    title: 'Event created',
    body: 'Your meeting was created successfully',
    when: 'When',
    at: 'Tomorrow, 10:00',
    where: 'Where',
    room: 'Room 4',
    more: 'More commands',
    open: 'Read about AG-UI',
    tool: 'Call your tool',
    note: 'Add a note',
    send: 'Send',
    said: 'A note on the meeting:',
  },
  zh: {
    locale: 'zh-CN',
    title: '日程已创建',
    body: '您的会议日程创建成功',
    when: '时间',
    at: '明天 10:00',
    where: '地点',
    room: '4 号会议室',
    more: '更多命令',
    open: '了解 AG-UI',
    tool: '调用你的工具',
    note: '添加备注',
    send: '发送',
    said: '会议备注：',
  },
} as const;

/** A button for each thing that a button can do without a question being open. */
function buttons({ more, open, tool }: (typeof words)[Language]): Json {
  const children: Json[] = [
    { type: 'button', label: more, variant: 'primary', action: { type: 'send_message', text: '/help' } },
    { type: 'button', label: open, action: { type: 'open_url', url: 'https://docs.ag-ui.com' } },
    { type: 'button', label: tool, action: { type: 'call_tool', name: 'set_theme', args: { theme: 'dark' } } },
  ];
  return { type: 'stack', direction: 'horizontal', wrap: true, gap: 'small', children };
}

function form({ note, send, said }: (typeof words)[Language]): Json {
  const children: Json[] = [
    { type: 'input', name: 'note', label: note, required: true },
    { type: 'button', label: send, action: { type: 'submit', formId: 'note' } },
  ];
  return { type: 'form', id: 'note', action: { type: 'send_message', text: said }, children };
}

function card(language: Language): Json {
  const own = words[language];
  const { locale, title, body, when, at, where, room } = own;
  const children: Json[] = [
    { type: 'text', content: title, role: 'title' },
    { type: 'badge', label: 'SUCCESS', status: 'success' },
    { type: 'text', content: body, role: 'body' },
    {
      type: 'kv',
      items: [
        { label: when, value: at },
        { label: where, value: room },
      ],
    },
    buttons(own),
    form(own),
  ];
  return { status: 'success', locale, root: { type: 'stack', appearance: 'card', children } };
}

export const ui: Command = {
  name: '/ui',
  parameters: '',
  about: { en: 'a message with a card, with buttons and a form', zh: '一条带卡片的消息，卡片有按钮和表单' },
  async *run({ language }) {
    const { title, body } = words[language];
    const sentence = language === 'zh' ? `${title}：${body}。` : `${title}: ${body}.`;
    yield message(sentence, { ui_hints: card(language) });
  },
};
