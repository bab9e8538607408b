const space = /[ \t\r\n]*/y;
const scalar =
  /"(?:[^"\\\t\r\n]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** `line 3, column 7` of where a text stops being JSON. Node says so in a sentence, which differs by version. */
export function jsonFaultPlace(text: string): string {
  const before = text.slice(0, faultOffset(text));
  const line = before.split('\n').length;
  return `line ${line}, column ${before.length - before.lastIndexOf('\n')}`;
}

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'next';

/** Walks the text once, without recursion; the offset of the first character that cannot be there. */
function faultOffset(text: string): number {
  const open: ('[' | '{')[] = [];
  let expected: Expected = 'value';
  let at = skip(space, text, 0);
  while (at < text.length) {
    const char = text[at] ?? '';
    const top = open.at(-1);
    if ((char === '[' || char === '{') && expected.startsWith('value')) {
      open.push(char);
      expected = char === '[' ? 'value or end' : 'key or end';
      at += 1;
    } else if (isEnd(char, top, expected)) {
      open.pop();
      expected = 'next';
      at += 1;
    } else if (char === ',' && expected === 'next' && top !== undefined) {
      expected = top === '[' ? 'value' : 'key';
      at += 1;
    } else if (char === ':' && expected === 'colon') {
      expected = 'value';
      at += 1;
    } else {
      const isKey = expected.startsWith('key');
      const end = skip(scalar, text, at);
      if (end === at || !(isKey ? char === '"' : expected.startsWith('value'))) return at;
      expected = isKey ? 'colon' : 'next';
      at = end;
    }
    at = skip(space, text, at);
  }
  return at;
}

function isEnd(char: string, top: '[' | '{' | undefined, expected: Expected): boolean {
  if (char === ']') return top === '[' && (expected === 'next' || expected === 'value or end');
  return char === '}' && top === '{' && (expected === 'next' || expected === 'key or end');
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
