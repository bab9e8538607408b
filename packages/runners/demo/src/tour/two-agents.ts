import { ApiError, type Json, type RunResult, toolCompleted, toolStarted } from '@rostra/runner-sdk';
import type { Call } from '../command.ts';
import type { Bilingual } from '../language.ts';
import { spoken } from '../speech.ts';

const opening: Bilingual = {
  en: 'First a tool: I look at the clock. ',
  zh: '先用一个工具：我看看时钟。',
};
const reason: Bilingual = {
  en: 'you want to see two agents in one conversation',
  zh: '你想看两个智能体怎样共用一个对话',
};

/** The tool of the host where this run was granted it, else a clock of our own. */
async function* readClock({ context, tools, world }: Call): AsyncGenerator<RunResult, string> {
  const tool = context.resources.tools.find(({ tool_name, tool_type }) => tool_name === 'time' && tool_type === 'host');
  const [id, name, parameters] = [`${context.run_id}.tool-1`, tool?.tool_name ?? 'clock', {}];
  yield toolStarted(id, name, parameters);
  let result: Json = { utc: world.now().toISOString() };
  if (tool !== undefined) {
    try {
      ({ result } = await tools.api.tools.call({ tool_name: name, parameters }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
  yield toolCompleted(id, name, result);
  const told = typeof result === 'object' && result !== null && !Array.isArray(result) ? result.utc : null;
  return typeof told === 'string' ? told : world.now().toISOString();
}

/** A tool call, then a handover that a person confirms; the one who takes over goes on by itself. */
export async function* twoAgents(call: Call): AsyncGenerator<RunResult> {
  const { language, voice } = call;
  const other = voice === 'guide' ? 'scout' : 'guide';
  yield* spoken(opening[language]);
  const time = yield* readClock(call);
  const en = `It says ${time}. Now the second agent: I have asked to hand this conversation over to ${other}. It is yours to confirm; ${other} then goes on by itself, and knows what was said.`;
  const zh = `时钟显示 ${time}。再来看第二个智能体：我请求把这个对话移交给 ${other}，请你确认。之后 ${other} 会自己接着说，并且知道之前说过什么。`;
  yield* spoken({ en, zh }[language]);
  const summary = { en: `The clock said ${time}.`, zh: `时钟显示 ${time}。` }[language];
  const payload = { reason: reason[language], summary };
  yield { type: 'action.requested', data: { action: 'session.handover', target: { agent_id: other }, payload } };
}
