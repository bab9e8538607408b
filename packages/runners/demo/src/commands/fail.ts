import { failed } from '@rostra/runner-sdk';
import type { Command } from '../command.ts';

export const fail: Command = {
  name: '/fail',
  parameters: '',
  about: { en: 'a run that fails in an orderly way', zh: '一次有序失败的运行' },
  async *run({ language }) {
    const sentence = { en: 'The demo failed because it was asked to.', zh: '演示按要求失败了。' };
    yield failed('demo.failed', sentence[language]);
  },
};
