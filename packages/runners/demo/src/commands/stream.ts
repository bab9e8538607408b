import { text } from '@rostra/runner-sdk';
import { type Command, misused, wholeNumber } from '../command.ts';

const CHUNKS_MAX = 10_000;

export const stream: Command = {
  name: '/stream',
  parameters: 'N',
  about: { en: 'N chunks as fast as they go, 1 to 10000', zh: '以最快速度输出 N 个分块，1 到 10000' },
  async *run({ args, language }) {
    const count = args.length === 1 ? wholeNumber(args[0], 1, CHUNKS_MAX) : undefined;
    if (count === undefined) {
      const en = `N is a whole number from 1 to ${CHUNKS_MAX}; try /stream 50.`;
      yield* misused(stream, { en, zh: `N 是 1 到 ${CHUNKS_MAX} 的整数，例如 /stream 50。` }, language);
      return;
    }
    for (let n = 1; n <= count; n += 1) yield text(`chunk-${n} `);
  },
};
