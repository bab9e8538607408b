import { type AgentRunContext, text as piece, type RunResult, type RunTools, resumed } from '@rostra/runner-sdk';
import type { Call } from './command.ts';
import { commands } from './commands/table.ts';
import { unknown } from './commands/unknown.ts';
import { eventAnswer } from './event.ts';
import { languageOf } from './language.ts';
import { spoken } from './speech.ts';
import { tell, topicOf } from './topic.ts';
import { chinese, chineseDefault } from './topics/chinese.ts';
import { english, englishDefault } from './topics/english.ts';
import { choiceOf } from './tour/choice.ts';
import { tour } from './tour/table.ts';
import { voiceOf } from './voice.ts';
import type { World } from './world.ts';

/**
 * One run of the demo: a command if the text begins with a slash, a choice of the tour if it names one, otherwise
 * something worth knowing about Rostra.
 */
export function answer(context: AgentRunContext, tools: RunTools, world: World): AsyncIterable<RunResult> {
  const earlier = resumed(context)?.said ?? '';
  const [language, voice] = [languageOf(context), voiceOf(context)];
  const results = fromTheStart({ context, args: [], language, voice, earlier, tools, world });
  return earlier === '' ? results : goingOn(results, earlier);
}

/** Everything the demo says is said again by the same words: what an earlier attempt got out is left out. */
async function* goingOn(results: AsyncIterable<RunResult>, earlier: string): AsyncGenerator<RunResult> {
  let left = earlier.length;
  /** How much of the message that is being said was said before, and how much is new. */
  let [old, fresh] = [0, 0];
  for await (const result of results) {
    if (result.type === 'message.delta') {
      const { content = '' } = result.data.chunk;
      const known = Math.min(left, content.length);
      left -= known;
      old += known;
      fresh += content.length - known;
      if (known < content.length) yield known === 0 ? result : piece(content.slice(known));
      continue;
    }
    const isWhole = result.type === 'message.completed';
    // One that came in one piece was read as a whole, if at all.
    if (isWhole && old + fresh === 0 && left > 0) {
      left = Math.max(0, left - lengthOf(result.data.message.content));
    } else if (!(isWhole && fresh === 0 && old > 0) && !(left > 0 && isTool(result))) yield result;
    if (isWhole) [old, fresh] = [0, 0];
  }
}

function lengthOf(content: unknown): number {
  return typeof content === 'string' ? content.length : 0;
}

/** What was used before what was said then is not used again. */
function isTool({ type }: RunResult): boolean {
  return type === 'tool.call.started' || type === 'tool.call.completed';
}

function fromTheStart(call: Call): AsyncIterable<RunResult> {
  const { context, language, voice } = call;
  const text = (context.input.text ?? '').trim();
  const toEvent = eventAnswer(call);
  if (toEvent !== null) return said(toEvent);
  if (text.startsWith('/')) return commanded(text, call);
  const choice = choiceOf(text);
  if (choice !== null) return tour[choice](call);
  const [topics, otherwise, space] = language === 'zh' ? [chinese, chineseDefault, ''] : [english, englishDefault, ' '];
  return said(spoken(tell(topicOf(text, topics) ?? otherwise, voice, space)));
}

function commanded(text: string, call: Call): AsyncIterable<RunResult> {
  const [word = '', ...args] = text.split(/\s+/);
  const command = commands.get(word.toLowerCase());
  if (command === undefined) return said(unknown(word, commands.keys(), call.language));
  return command.run({ ...call, args });
}

async function* said(results: AsyncIterable<RunResult> | Iterable<RunResult>): AsyncGenerator<RunResult> {
  yield* results;
}
