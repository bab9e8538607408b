import type { RunResult } from '@rostra/runner-sdk';
import type { Call } from './command.ts';
import { spoken } from './speech.ts';
import { takenOver } from './taken-over.ts';
import { greeting } from './tour/greeting.ts';

/** What is said to an event that is no message of a person; null for a message. */
export function eventAnswer(call: Call): AsyncIterable<RunResult> | Iterable<RunResult> | null {
  const { language, voice, context } = call;
  const { event_type, source } = context.event;
  if (event_type === 'message.received') return null;
  if (event_type === 'session.welcome') return greeting(language, voice);
  if (event_type === 'session.handover') return takenOver(call);
  return spoken(
    language === 'zh'
      ? `来自 ${source} 的事件 ${event_type} 到了。没有人说话，所以我只报告它到了。`
      : `The event ${event_type} came from ${source}. Nobody said a word, so I only say that it is here.`,
  );
}
