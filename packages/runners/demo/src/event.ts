import type { AgentRunContext } from '@rostra/runner-sdk';
import type { Language } from './language.ts';
import type { Voice } from './voice.ts';

/** How much of another agent's words is repeated. */
const QUOTED = 160;

function quoted(words: string): string {
  const line = words.replace(/\s+/g, ' ').trim();
  return line.length > QUOTED ? `${line.slice(0, QUOTED)}…` : line;
}

function textAt(data: AgentRunContext['event']['data'], name: string): string {
  const value = data[name];
  return typeof value === 'string' ? quoted(value) : '';
}

function takenOver({ data }: AgentRunContext['event'], language: Language, voice: Voice): string {
  const [from, reason, said] = [textAt(data, 'from_agent_id'), textAt(data, 'reason'), textAt(data, 'output')];
  if (language === 'zh') {
    const why = reason === '' ? '' : `，理由是“${reason}”`;
    return `我是 ${voice}，从这里由我继续。${from} 把对话交给了我${why}。${said === '' ? '' : `它最后说的是：“${said}”`}`;
  }
  const why = reason === '' ? '.' : `, because: ${reason}.`;
  const last = said === '' ? '' : ` Its last words were: “${said}”`;
  return `I am ${voice}, and I go on from here. ${from} handed this conversation over to me${why}${last}`;
}

/** What is said to an event that is no message of a person; null for a message. */
export function eventAnswer({ event }: AgentRunContext, language: Language, voice: Voice): string | null {
  if (event.event_type === 'message.received') return null;
  if (event.event_type === 'session.handover') return takenOver(event, language, voice);
  return language === 'zh'
    ? `来自 ${event.source} 的事件 ${event.event_type} 到了。没有人说话，所以我只报告它到了。`
    : `The event ${event.event_type} came from ${event.source}. Nobody said a word, so I only say that it is here.`;
}
