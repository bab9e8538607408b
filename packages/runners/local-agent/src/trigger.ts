import type { ModelMessage } from '@rostra/runner-sdk';
import { cut } from './cut.ts';
import { inputMessage } from './input.ts';
import { material } from './material.ts';
import type { TurnRun } from './turn-run.ts';

const HANDED_CHARS = 8000;

/** What started the run, as a message: a person's own, or an event told as what it is and never as a person's words. */
export async function triggerMessage(run: TurnRun, fileChars: number): Promise<ModelMessage> {
  const { event, input } = run.context;
  if (event.event_type === 'message.received') return await inputMessage(run, input, fileChars);
  const data = cut(JSON.stringify(event.data), HANDED_CHARS);
  if (event.event_type === 'session.handover') {
    const told = material('handover', {}, data);
    return {
      role: 'user',
      content: `${told}\nThis conversation was handed over to you. Go on with what is still open.`,
    };
  }
  const told = material('event', { type: event.event_type, source: event.source }, data);
  const files = await inputMessage(run, { ...input, text: null, contents: [] }, fileChars);
  const said = `${told}\nThis event happened. Do what you were told to do about it.`;
  if (typeof files.content === 'string') return { role: 'user', content: [said, files.content].join('\n\n').trim() };
  return { role: 'user', content: [{ type: 'text', text: said }, ...(files.content ?? [])] };
}
