import { Json, JsonObject } from '@rostra/protocol/wire/json';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const deep = JSON.parse(`${'['.repeat(500)}1${']'.repeat(500)}`);

describe('a JSON value', () => {
  it.each([null, true, 0, -1.5, '', 'text', [], [1, [null]], {}, { a: { b: [{}] } }])('may be %j', (value) => {
    expect(Json.parse(value)).toEqual(value);
  });

  it('may be nested deeply', () => {
    expect(Json.parse(deep)).toEqual(deep);
  });

  it.each([
    ['nothing', undefined],
    ['no number', Number.NaN],
    ['no finite number', Number.POSITIVE_INFINITY],
    ['a large number', 1n],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a time', new Date(0)],
    ['a map', new Map()],
    ['an object of a class', new (class Box {})()],
    ['a list with a hole', new Array(1)],
    ['an object with nothing in a field', { a: undefined }],
  ])('is not %s, wherever it stands', (_name, value) => {
    for (const given of [value, [value], { a: [{ b: value }] }]) expect(Json.safeParse(given).success).toBe(false);
    expect(JsonObject.safeParse({ a: value }).success).toBe(false);
    expect(z.object({ a: Json }).safeParse({ a: value }).success).toBe(false);
  });

  it('must be given where it is not optional', () => {
    expect(z.object({ a: Json }).safeParse({}).success).toBe(false);
    expect(z.object({ a: Json.optional() }).parse({})).toEqual({});
  });

  it('has no key that reaches a prototype', () => {
    const value = JSON.parse('{"a":[{"__proto__":{"x":1},"b":2}],"__proto__":3}');
    for (const read of [Json.parse(value), JsonObject.parse(value)]) {
      expect(JSON.stringify(read)).toBe('{"a":[{"b":2}]}');
    }
  });

  it('may have no prototype', () => {
    const bare: unknown = Object.assign(Object.create(null), { a: 1 });
    expect(Json.parse(bare)).toEqual({ a: 1 });
  });

  it('is any value in a JSON Schema', () => {
    expect(z.toJSONSchema(z.object({ a: Json, b: Json.optional() }))).toMatchObject({
      properties: { a: {}, b: {} },
      required: ['a'],
    });
    expect(z.toJSONSchema(JsonObject)).toMatchObject({ type: 'object', additionalProperties: {} });
  });
});

describe('a JSON object', () => {
  it.each([[null], ['text'], [1], [[]], [undefined], [new Date(0)]])('is not %s', (value) => {
    expect(JsonObject.safeParse(value).error?.issues[0]).toMatchObject({ code: 'invalid_type', expected: 'record' });
  });

  it('says which of its fields is wrong', () => {
    expect(JsonObject.safeParse({ a: 1, b: Number.NaN }).error?.issues[0]?.path).toEqual(['b']);
  });
});
