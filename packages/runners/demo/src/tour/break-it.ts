import { type RunResult, text } from '@rostra/runner-sdk';
import type { Call } from '../command.ts';
import type { Bilingual } from '../language.ts';
import { spoken } from '../speech.ts';
import { withNext } from './card.ts';

/** Forty seconds. */
export const COUNT = 200;
const PAUSE_MS = 200;

const opening: Bilingual = {
  en: `For 40 seconds I count to ${COUNT}. Every number comes once and in order, whatever you do. Try it meanwhile:

- reload this page (in a terminal: leave, then \`npx rostra chat --resume\`)
- open this conversation in a second tab
- press Stop (in a terminal: Ctrl-C)
- restart the server: Ctrl-C twice where it runs, then start it again

`,
  zh: `接下来 40 秒我会数到 ${COUNT}。无论你做什么，每个数字都会按顺序出现一次。数的时候可以试试：

- 刷新这个页面（在终端里：退出，然后 \`npx rostra chat --resume\`）
- 在第二个标签页里打开这个对话
- 点停止（在终端里：Ctrl-C）
- 重启服务：在它运行的地方按两次 Ctrl-C，然后再启动

`,
};
const ending: Bilingual = {
  en: `That was ${COUNT}: look back, no number is missing and none came twice.`,
  zh: `数到 ${COUNT} 了：回头看看，一个数字也没有少，也没有重复。`,
};

/** A long answer that goes on behind what an earlier attempt said, and waits only for the rest. */
export async function* breakIt({ language, earlier, tools }: Call): AsyncGenerator<RunResult> {
  yield* spoken(opening[language]);
  let { length } = opening[language];
  let counted = '';
  for (let n = 1; n <= COUNT; n += 1) {
    const piece = `${n} `;
    length += piece.length;
    if (n > 1 && length > earlier.length) await tools.sleep(PAUSE_MS);
    counted += piece;
    yield text(piece);
  }
  yield* withNext(`\n\n${ending[language]}`, language, `${opening[language]}${counted}`);
}
