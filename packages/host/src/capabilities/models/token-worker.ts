import { parentPort } from 'node:worker_threads';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { sampledCount } from './token-sample.ts';

/** What a thread that counts is asked and answers. */
export interface CountAsk {
  readonly id: number;
  readonly texts: readonly string[];
}
export interface CountAnswer {
  readonly id: number;
  readonly tokens: number;
}

/** What a person writes is text, also where it looks like a sign that only models write. */
const asText = { disallowedSpecial: new Set<string>() };

parentPort?.on('message', ({ id, texts }: CountAsk) => {
  const tokens = texts.reduce((sum, text) => sum + sampledCount(text, (part) => countTokens(part, asText)), 0);
  parentPort?.postMessage({ id, tokens } satisfies CountAnswer);
});
