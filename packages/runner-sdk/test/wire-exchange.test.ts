import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { wireExchange } from './wire-exchange.ts';

const document = fileURLToPath(new URL('../../../docs/runner-wire.md', import.meta.url));
const fence = /^```wire\n(.*?)^```$/gms;

function linesOf(text: string): string[] {
  return [...text.matchAll(fence)].flatMap(([, lines = '']) => lines.trimEnd().split('\n'));
}

test('docs/runner-wire.md shows what really crosses, line by line; ROSTRA_WRITE=1 writes it anew', async () => {
  const exchange = await wireExchange();
  if (process.env.ROSTRA_WRITE === '1') {
    const left = [...exchange];
    const text = readFileSync(document, 'utf8').replace(fence, (_, lines: string) => {
      return `\`\`\`wire\n${left.splice(0, lines.trimEnd().split('\n').length).join('\n')}\n\`\`\``;
    });
    writeFileSync(document, text);
  }
  expect(linesOf(readFileSync(document, 'utf8'))).toEqual(exchange);
});
