import { type RunResult, text } from '@rostra/runner-sdk';

const WIDTH_MIN = 28;
const token = /\p{Script=Han}|[^\s\p{Script=Han}]+\s*|\s+/gu;

/** A sentence in a few pieces of some words each, as a model would say it; joined they are the sentence again. */
export function* spoken(sentence: string): Generator<RunResult> {
  let piece = '';
  let width = 0;
  for (const [word] of sentence.matchAll(token)) {
    piece += word;
    // A Chinese character says about as much as a short word.
    width += /^\p{Script=Han}/u.test(word) ? 3 : word.length;
    if (width < WIDTH_MIN) continue;
    yield text(piece);
    piece = '';
    width = 0;
  }
  if (piece !== '') yield text(piece);
}
