import type { Command } from '../command.ts';
import { greeting } from '../tour/greeting.ts';

export const tour: Command = {
  name: '/tour',
  parameters: '',
  about: { en: 'four things to see, each by its number', zh: '四样可以看的东西，输入数字即可' },
  async *run({ language, voice }) {
    yield* greeting(language, voice);
  },
};
