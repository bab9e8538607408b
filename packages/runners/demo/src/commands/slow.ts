import { text } from '@rostra/runner-sdk';
import { type Command, misused, wholeNumber } from '../command.ts';

const CHUNKS_MAX = 10_000;
const PAUSE_MS_MAX = 60_000;

export const slow: Command = {
  name: '/slow',
  parameters: 'N MS',
  about: {
    en: 'N chunks, one every MS milliseconds; cancel it, or reload while it runs',
    zh: '每 MS 毫秒输出一个分块，共 N 个；运行中可以取消或重新连接',
  },
  async *run({ args, language, earlier, tools }) {
    const [count, pause] = [wholeNumber(args[0], 1, CHUNKS_MAX), wholeNumber(args[1], 0, PAUSE_MS_MAX)];
    if (count === undefined || pause === undefined || args.length !== 2) {
      const en = `N is from 1 to ${CHUNKS_MAX} and MS from 0 to ${PAUSE_MS_MAX}; try /slow 20 200.`;
      const zh = `N 是 1 到 ${CHUNKS_MAX}，MS 是 0 到 ${PAUSE_MS_MAX}，例如 /slow 20 200。`;
      yield* misused(slow, { en, zh }, language);
      return;
    }
    let length = 0;
    for (let n = 1; n <= count; n += 1) {
      const chunk = `chunk-${n} `;
      length += chunk.length;
      if (n > 1 && length > earlier.length) await tools.sleep(pause);
      yield text(chunk);
    }
  },
};
