import { type AgentRunContext, text as piece, type RunResult, type RunTools, resumed } from '@rostra/runner-sdk';
import { commands } from './commands/table.ts';
import { unknown } from './commands/unknown.ts';
import { eventAnswer } from './event.ts';
import { languageOf } from './language.ts';
import { spoken } from './speech.ts';
import { tell, topicOf } from './topic.ts';
import { chinese, chineseDefault } from './topics/chinese.ts';
import { english, englishDefault } from './topics/english.ts';
import { voiceOf } from './voice.ts';
import type { World } from './world.ts';

/** One run of the demo: a command if the text begins with a slash, otherwise something worth knowing about Rostra. */
export function answer(context: AgentRunContext, tools: RunTools, world: World): AsyncIterable<RunResult> {
  const earlier = resumed(context)?.said ?? '';
  const results = fromTheStart(context, tools, world, earlier);
  return earlier === '' ? results : goingOn(results, earlier);
}

/** Everything the demo says is said again by the same words: what an earlier attempt got out is left out. */
async function* goingOn(results: AsyncIterable<RunResult>, earlier: string): AsyncGenerator<RunResult> {
  let left = earlier.length;
  for await (const result of results) {
    const content = result.type === 'message.delta' ? (result.data.chunk.content ?? '') : '';
    if (left === 0 || content === '') yield result;
    else if (content.length > left) yield piece(content.slice(left));
    left = Math.max(0, left - content.length);
  }
}

function fromTheStart(
  context: AgentRunContext,
  tools: RunTools,
  world: World,
  earlier: string,
): AsyncIterable<RunResult> {
  const text = (context.input.text ?? '').trim();
  const [language, voice] = [languageOf(context), voiceOf(context)];
  const toEvent = eventAnswer(context, language, voice);
  if (toEvent !== null) return said(spoken(toEvent));
  if (!text.startsWith('/')) {
    const [topics, otherwise, space] =
      language === 'zh' ? [chinese, chineseDefault, ''] : [english, englishDefault, ' '];
    return said(spoken(tell(topicOf(text, topics) ?? otherwise, voice, space)));
  }
  const [word = '', ...args] = text.split(/\s+/);
  const command = commands.get(word.toLowerCase());
  if (command === undefined) return said(unknown(word, commands.keys(), language));
  return command.run({ context, args, language, voice, earlier, tools, world });
}

async function* said(results: Iterable<RunResult>): AsyncGenerator<RunResult> {
  yield* results;
}
