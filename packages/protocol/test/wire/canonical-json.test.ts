import { canonicalJson } from '@rostra/protocol/wire/canonical-json';
import { expect, it } from 'vitest';

it.each([
  [{ b: 1, a: [true, null, 'x'], c: {} }, '{"a":[true,null,"x"],"b":1,"c":{}}'],
  [{ 10: 'ten', 9: 'nine', 1: 'one' }, '{"1":"one","10":"ten","9":"nine"}'],
  [{ a: undefined, b: [undefined] }, '{"b":[null]}'],
  [{ 'a"b': 'c\\d\n', é: '\u007f\ud800' }, '{"a\\"b":"c\\\\d\\n","é":"\u007f\\ud800"}'],
  ['', '""'],
  [undefined, 'null'],
])('%j is always written in one way', (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});

it('writes every character as JSON does', () => {
  for (let unit = 0; unit < 0x10000; unit += 1) {
    const text = `a${String.fromCharCode(unit)}`;
    if (canonicalJson(text) !== JSON.stringify(text)) expect(canonicalJson(text)).toBe(JSON.stringify(text));
  }
});
