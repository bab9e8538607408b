import type { ApiMethodName } from '@rostra/protocol/api/api-methods';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { bench } from './every-method.ts';
import { activeRun, refusal } from './gate-bench.ts';

describe('params', () => {
  const deep = (levels: number): Json => (levels === 0 ? 1 : [deep(levels - 1)]);

  it.each<[string, ApiMethodName, JsonObject, string, string]>([
    ['a key that is missing', 'history.search', {}, 'invalid_argument', 'query'],
    ['a limit below 1', 'history.page', { limit: 0 }, 'invalid_argument', 'limit'],
    ['a limit that is no number (case 44)', 'history.page', { limit: '50' }, 'invalid_argument', 'limit'],
    ['a scope that there is not', 'state.get', { scope: 'workspace', key: 'k' }, 'invalid_argument', 'scope'],
    [
      'a value that nests too deep',
      'state.set',
      { scope: 'runner', key: 'k', value: deep(40) },
      'invalid_argument',
      '',
    ],
    [
      'a piece that is too long',
      'artifacts.read_range',
      { artifact_id: 'a', length: 2 ** 30 },
      'payload_too_large',
      'length',
    ],
    [
      'content that is too long',
      'artifacts.write',
      { upload_id: 'u', offset: 0, content_base64: 'A'.repeat(2 * limits.piece_bytes) },
      'payload_too_large',
      'content_base64',
    ],
  ])('%s is refused before anything is looked up', async (_, method, params, code, path) => {
    const { gate, reached } = bench();
    expect(await refusal(gate.call(activeRun('r1'), method, params))).toMatchObject({ code, details: { path } });
    expect(reached).toEqual([]);
    expect(gate.rows).toMatchObject([{ action: method, result: code, details: { path } }]);
  });

  it.each([
    '{"__proto__": {"admin": true}, "scope": "runner", "key": "k", "value": 1}',
    '{"scope": "runner", "key": "k", "value": [{"a": {"__proto__": {"admin": true}}}]}',
  ])('a key that would change a prototype is refused: %s', async (text) => {
    const { gate, reached } = bench();
    const params: JsonObject = JSON.parse(text);
    const run = activeRun('r1');
    const calling = gate.gate.call({
      method: 'state.set',
      params: Object.assign(params, { run_id: 'r1' }),
      bytes: 100,
      run,
      caller: 'fixture',
      push: async () => undefined,
    });
    expect(await refusal(calling)).toMatchObject({ code: 'invalid_argument' });
    expect(reached).toEqual([]);
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  it('a limit above the cap is clamped (case 44)', async () => {
    const { reached, ask } = bench();
    await ask(activeRun('r1'), 'history.page', { limit: 1_000_000_000 });
    expect(reached).toMatchObject([['history.page', { limit: limits.page_items }]]);
  });
});
