import { answerFault, formOf } from '@rostra/kernel/interaction/answer';
import { planQuestion } from '@rostra/kernel/interaction/question';
import { InteractionRequest } from '@rostra/protocol/api/interactions';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;
const sure = { kind: 'confirmation', title: 'Sure?' };
const codeOf = (asked: unknown) => {
  const planned = planQuestion(asked, NOW);
  return 'code' in planned ? planned.code : null;
};
const field = (change: object) => ({ id: 'f', label: 'F', type: 'string', ...change });
const options = [
  { value: 'a', label: 'A' },
  { value: 'b', label: 'B' },
];

describe('a question', () => {
  it.each([
    ['confirmation', ['confirm', 'cancel']],
    ['form', ['submit', 'cancel']],
  ])('without actions is a %s that can be answered by its own', (kind, ids) => {
    const planned = planQuestion({ kind, title: 'T' }, NOW);
    expect('code' in planned ? null : planned.request.actions.map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    [{ expires_in: 1 }, 1],
    [{ expires_in: 24 * HOUR }, 24 * HOUR],
    [{ expires_at: NOW + 5 }, 5],
    [{}, null],
  ])('keeps the expiry %j within 24 hours', (expiry, left) => {
    expect(planQuestion({ ...sure, ...expiry }, NOW)).toMatchObject({ expires_in: left });
  });

  it.each([
    ['no kind', { title: 'T' }],
    ['an unknown kind', { kind: 'quiz', title: 'T' }],
    ['an expiry of nothing', { ...sure, expires_in: 0 }],
    ['an expiry now', { ...sure, expires_at: NOW }],
    ['an expiry that is past', { ...sure, expires_at: NOW - 1 }],
    ['an expiry beyond 24 hours', { ...sure, expires_in: 24 * HOUR + 1 }],
    ['an instant beyond 24 hours', { ...sure, expires_at: NOW + 24 * HOUR + 1 }],
    ['a field twice', { ...sure, fields: [field({}), field({})] }],
    [
      'an action twice',
      {
        ...sure,
        actions: [
          { id: 'a', label: '1' },
          { id: 'a', label: '2' },
        ],
      },
    ],
    ['51 fields', { ...sure, fields: Array.from({ length: 51 }, (_, n) => field({ id: `f${n}` })) }],
    ['21 actions', { ...sure, actions: Array.from({ length: 21 }, (_, n) => ({ id: `a${n}`, label: 'A' })) }],
    ['a choice of nothing', { kind: 'choice', title: 'T' }],
    ['a select without options', { ...sure, fields: [field({ type: 'select' })] }],
    ['an option twice', { ...sure, fields: [field({ type: 'select', options: [...options, ...options] })] }],
    ['a range without a value', { ...sure, fields: [field({ type: 'integer', min: 2, max: 1 })] }],
    ['a default that does not fit', { ...sure, fields: [field({ type: 'boolean', default: 'yes' })] }],
    ['nothing at all', undefined],
  ])('is refused with %s (check 73)', (_what, asked) => {
    expect(codeOf(asked)).toBe('invalid_argument');
  });

  it('of more than 256 KiB is refused as too large, counted in bytes (check 73)', () => {
    const body = '语'.repeat(limits.interaction_bytes / 3);
    expect(codeOf({ ...sure, body })).toBe('payload_too_large');
    expect(codeOf({ ...sure, body: body.slice(100) })).toBeNull();
  });
});

const all = InteractionRequest.parse({
  kind: 'form',
  title: 'T',
  actions: [
    { id: 'submit', label: 'S' },
    { id: 'cancel', label: 'C' },
  ],
  fields: [
    field({ id: 'line', required: true, max: 5 }),
    field({ id: 'text', type: 'text', min: 2 }),
    field({ id: 'whole', type: 'integer', min: -1, max: 3 }),
    field({ id: 'real', type: 'float' }),
    field({ id: 'yes', type: 'boolean' }),
    field({ id: 'one', type: 'select', options }),
    field({ id: 'some', type: 'multi-select', options }),
  ],
});
const faultOf = (values: JsonObject, action_id = 'submit') => answerFault(all, { action_id, values });

describe('an answer', () => {
  it('may have a value of every type', () => {
    const values = { line: 'abc', text: 'a\nb', whole: 3, real: -0.5, yes: false, one: 'b', some: ['a', 'b'] };
    expect(faultOf(values)).toBeNull();
    expect(faultOf({ line: '语语语语语', text: null, some: [] })).toBeNull();
  });

  it('that cancels needs no values', () => {
    expect(faultOf({}, 'cancel')).toBeNull();
  });

  it.each<[string, JsonObject, string?]>([
    ['an unknown action', { line: 'a' }, 'approve'],
    ['an action of the prototype', { line: 'a' }, 'constructor'],
    ['an unknown field', { line: 'a', other: 1 }],
    ['a field of the prototype', { line: 'a', constructor: 1 }],
    ['nothing that is required', { whole: 1 }],
    ['null for what is required', { line: null }],
    ['two lines for one', { line: 'a\nb' }],
    ['a text that is too long', { line: 'abcdef' }],
    ['a text that is too short', { line: 'a', text: 'x' }],
    ['a number for a text', { line: 1 }],
    ['a fraction for a whole number', { line: 'a', whole: 1.5 }],
    ['a number below its range', { line: 'a', whole: -2 }],
    ['a number above its range', { line: 'a', whole: 4 }],
    ['a text for a number', { line: 'a', real: '1' }],
    ['a number for a boolean', { line: 'a', yes: 1 }],
    ['an unknown option', { line: 'a', one: 'c' }],
    ['an option by its position', { line: 'a', one: 0 }],
    ['a negative position', { line: 'a', some: [-1] }],
    ['an option twice', { line: 'a', some: ['a', 'a'] }],
    ['one option where there may be some', { line: 'a', some: 'a' }],
  ])('with %s is refused (check 77)', (_what, values, action_id) => {
    expect(faultOf(values, action_id)?.code).toBe('invalid_argument');
  });

  it('to a handover is one of two', () => {
    const request: Json = { target_agent_id: 'scout', from_agent_id: 'guide' };
    const form = formOf({ purpose: 'handover', request, agent_id: 'guide' });
    expect(form.title).toBe('guide → scout');
    expect(answerFault(form, { action_id: 'confirm', values: {} })).toBeNull();
    expect(answerFault(form, { action_id: 'submit', values: {} })?.code).toBe('invalid_argument');
  });
});
