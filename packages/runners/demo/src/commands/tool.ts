import { type Json, toolCompleted, toolStarted } from '@rostra/runner-sdk';
import { type Call, type Command, misused } from '../command.ts';
import type { Bilingual } from '../language.ts';
import { spoken } from '../speech.ts';

interface BuiltIn {
  readonly parameters: Json;
  call(call: Call): { readonly result: Json; readonly sentence: Bilingual };
}

const SIDES = 6;
const builtIns: ReadonlyMap<string, BuiltIn> = new Map([
  [
    'clock',
    {
      parameters: {},
      call({ world }) {
        const time = world.now().toISOString();
        const sentence = { en: `The clock says ${time} (UTC).`, zh: `时钟显示 ${time}（UTC）。` };
        return { result: { time }, sentence };
      },
    },
  ],
  [
    'dice',
    {
      parameters: { sides: SIDES },
      call({ world }) {
        const value = world.roll(SIDES);
        return { result: { value }, sentence: { en: `The die shows ${value}.`, zh: `骰子掷出了 ${value}。` } };
      },
    },
  ],
]);

export const tool: Command = {
  name: '/tool',
  parameters: '[clock|dice]',
  about: { en: 'a call of a built-in tool, and a sentence with its result', zh: '调用一个内置工具，并说出结果' },
  async *run(call) {
    const [name = 'clock', ...more] = call.args;
    const builtIn = builtIns.get(name);
    if (builtIn === undefined || more.length > 0) {
      const why = { en: 'There are two tools, clock and dice.', zh: '有两个工具：clock 和 dice。' };
      yield* misused(tool, why, call.language);
      return;
    }
    const id = `${call.context.run_id}.tool-1`;
    yield toolStarted(id, name, builtIn.parameters);
    const { result, sentence } = builtIn.call(call);
    yield toolCompleted(id, name, result);
    yield* spoken(sentence[call.language]);
  },
};
