import type { Command } from '../command.ts';
import { absent } from '../host-parts.ts';

export const ask: Command = {
  name: '/ask',
  parameters: '',
  about: { en: 'asks you to confirm something and waits', zh: '请你确认一件事并等待' },
  async *run({ language }) {
    yield* absent('interactions', language);
  },
};
