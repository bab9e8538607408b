import { text } from '@rostra/runner-sdk';
import type { Command } from '../command.ts';

export const crash: Command = {
  name: '/crash',
  parameters: '',
  about: {
    en: 'the runner process dies after three chunks; the next message works',
    zh: '输出三个分块后进程崩溃；下一条消息照常工作',
  },
  async *run({ tools, world }) {
    for (let n = 1; n <= 3; n += 1) yield text(`chunk-${n} `);
    await tools.flushed();
    world.exit(1);
  },
};
