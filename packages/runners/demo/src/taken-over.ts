import { type AgentRunContext, ApiError, type RunResult } from '@rostra/runner-sdk';
import type { Call } from './command.ts';
import { spoken } from './speech.ts';
import { withNext } from './tour/card.ts';
import { choiceOf } from './tour/choice.ts';

/** How much of somebody's words is repeated. */
const QUOTED = 160;
/** How far back the last words of a person are looked for. */
const LOOKED_AT = 20;

function quoted(words: string): string {
  const line = words.replace(/\s+/g, ' ').trim();
  return line.length > QUOTED ? `${line.slice(0, QUOTED)}…` : line;
}

function textAt(data: AgentRunContext['event']['data'], name: string): string {
  const value = data[name];
  return typeof value === 'string' ? quoted(value) : '';
}

/** What a person said last, as the session has it; empty where this run may not read that. */
async function lastSaid({ context, tools }: Call): Promise<string> {
  if (!context.context.available_apis.history_page) return '';
  let looked = 0;
  try {
    for await (const { role, content } of tools.api.history.items()) {
      if (role === 'user' && content.trim() !== '') return quoted(content);
      looked += 1;
      if (looked === LOOKED_AT) break;
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  return '';
}

/** Whoever takes over says so, why, and what was said: by the person, and by the agent before. */
export async function* takenOver(call: Call): AsyncGenerator<RunResult> {
  const { language, voice, context } = call;
  const { data } = context.event;
  const [from, reason, output] = [textAt(data, 'from_agent_id'), textAt(data, 'reason'), textAt(data, 'output')];
  const person = await lastSaid(call);
  const words =
    language === 'zh'
      ? chinese({ voice, from, reason, output, person })
      : english({ voice, from, reason, output, person });
  if (choiceOf(person) !== 'two_agents') {
    yield* spoken(words);
    return;
  }
  const en = ' Nobody told me that: a conversation is one log, and every agent in it may read it.';
  yield* withNext(
    `${words}${{ en, zh: '没有人转告我：一个对话就是一份日志，其中每个智能体都可以读。' }[language]}`,
    language,
  );
}

interface Left {
  readonly voice: string;
  readonly from: string;
  readonly reason: string;
  /** The last words of the agent before, and of the person. */
  readonly output: string;
  readonly person: string;
}

function english({ voice, from, reason, output, person }: Left): string {
  const why = reason === '' ? '.' : `, because: ${reason}.`;
  const you = person === '' ? '' : ` You said: “${person}”`;
  const last = output === '' ? '' : ` The last words of ${from} were: “${output}”`;
  return `I am ${voice}, and I go on from here. ${from} handed this conversation over to me${why}${you}${last}`;
}

function chinese({ voice, from, reason, output, person }: Left): string {
  const why = reason === '' ? '' : `，理由是“${reason}”`;
  const you = person === '' ? '' : `你说的是：“${person}”`;
  const last = output === '' ? '' : `它最后说的是：“${output}”`;
  return `我是 ${voice}，从这里由我继续。${from} 把对话交给了我${why}。${you}${last}`;
}
