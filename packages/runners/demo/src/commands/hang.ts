import { type Command, misused } from '../command.ts';

export const hang: Command = {
  name: '/hang',
  parameters: '[hard]',
  about: {
    en: 'says nothing until it is cancelled; with hard it ignores the cancel',
    zh: '一直沉默直到被取消；加上 hard 则连取消也不理会',
  },
  async *run({ args, language, tools: { signal } }) {
    const isHard = args[0] === 'hard';
    if (args.length > (isHard ? 1 : 0)) {
      yield* misused(hang, { en: 'The only word it knows is hard.', zh: '它只认识 hard 这个词。' }, language);
      return;
    }
    await new Promise<void>((resolve) => {
      if (isHard) return;
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (signal.aborted) resolve();
    });
  },
};
