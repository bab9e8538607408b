import { type Command, misused, wholeNumber } from '../command.ts';
import { absent } from '../host-parts.ts';

const KIB_MAX = 20_480;

export const artifact: Command = {
  name: '/artifact',
  parameters: 'KB',
  about: { en: 'makes a file of that many kilobytes', zh: '生成一个指定大小（KB）的文件' },
  async *run({ args, language }) {
    if (args.length !== 1 || wholeNumber(args[0], 1, KIB_MAX) === undefined) {
      const en = `KB is a whole number from 1 to ${KIB_MAX}; try /artifact 64.`;
      yield* misused(artifact, { en, zh: `KB 是 1 到 ${KIB_MAX} 的整数，例如 /artifact 64。` }, language);
      return;
    }
    yield* absent('artifacts', language);
  },
};
