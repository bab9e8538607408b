import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerLine, decodeFrame, notificationLine, refusalLine, requestLine } from '../src/frame.ts';
import { JsonText } from '../src/json-text.ts';

test('what one side encodes the other decodes to the same', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, method) => {
      // JSON has no negative zero: what arrives is what JSON says.
      const sent = JSON.parse(JSON.stringify(value));
      expect(decodeFrame(requestLine(1, method, value))).toEqual({ kind: 'request', id: 1, method, params: sent });
      const written = new JsonText(JSON.stringify(value));
      expect(decodeFrame(requestLine(1, method, written))).toEqual({ kind: 'request', id: 1, method, params: sent });
      expect(decodeFrame(notificationLine(method, value))).toEqual({ kind: 'notification', method, params: sent });
      expect(decodeFrame(answerLine('a', value))).toEqual({ kind: 'answer', id: 'a', result: sent });
    }),
  );
});

test('a frame never spans lines, whatever it carries', () => {
  expect(notificationLine('X', { text: 'a\nb\r\n\u2028' })).not.toContain('\n');
});

test('an answer without a result is null', () => {
  expect(decodeFrame(answerLine(7, undefined))).toEqual({ kind: 'answer', id: 7, result: null });
});

test('a refusal carries its number, sentence and data', () => {
  const error = { code: -32_000, message: 'no', data: { code: 'not_found' } };
  expect(decodeFrame(refusalLine(3, error))).toEqual({ kind: 'refusal', id: 3, error });
});

test.each([
  ['prose', 'Server listening on port 3000'],
  ['half a frame', '{"jsonrpc":"2.0","method":"RES'],
  ['an array', '[{"jsonrpc":"2.0","method":"PING"}]'],
  ['an object that is no frame', '{"level":"info","message":"started"}'],
  ['another version', '{"jsonrpc":"1.0","method":"PING"}'],
  ['a null id', '{"jsonrpc":"2.0","id":null,"method":"PING"}'],
  ['a method that is no name', '{"jsonrpc":"2.0","id":1,"method":5,"result":1}'],
  ['an answer to nothing', '{"jsonrpc":"2.0","result":1}'],
  ['an answer without an answer', '{"jsonrpc":"2.0","id":1}'],
  ['an error that is no object', '{"jsonrpc":"2.0","id":1,"error":"bad"}'],
])('%s is no frame', (_, line) => {
  expect(decodeFrame(line)).toBeUndefined();
});
