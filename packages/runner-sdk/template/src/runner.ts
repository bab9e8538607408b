import { defineRunner, text } from '@rostra/runner-sdk';

/** Says the words of its input one by one. Replace `run` with what your agent does. */
export const runner = defineRunner({
  manifest: {
    id: 'example/echo',
    name: 'echo',
    label: { en_US: 'Echo' },
    capabilities: { streaming: true, interrupt: true },
  },
  async *run(context) {
    const words = (context.input.text ?? '').split(/\s+/);
    for (const word of words) yield text(`${word} `);
  },
});
