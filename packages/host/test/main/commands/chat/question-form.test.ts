import { InteractionField } from '@rostra/protocol/api/interactions';
import { describe, expect, test } from 'vitest';
import { actionOf, answeredBy, fieldPrompt } from '../../../../src/main/commands/chat/question-form.ts';

const actions = [
  { id: 'confirm', label: 'Go on' },
  { id: 'reject', label: 'Leave it' },
];
const options = [
  { value: 'r', label: 'Red' },
  { value: '7', label: 'Seven' },
];

function field(type: InteractionField['type'], more: object = {}): InteractionField {
  return InteractionField.parse({ id: 'f', label: 'F', type, ...more });
}

describe('an action', () => {
  test.each([
    ['1', 'confirm'],
    ['2', 'reject'],
    ['Go on', 'confirm'],
    ['REJECT', 'reject'],
    ['y', 'confirm'],
    ['no', 'reject'],
    ['3', null],
    ['0', null],
    ['maybe', null],
    ['', null],
  ])('%j names %j', (line, id) => {
    expect(actionOf({ actions }, line)).toBe(id);
  });
});

describe('a value', () => {
  test.each<[string, InteractionField, unknown]>([
    ['12', field('integer'), 12],
    ['1.5', field('float'), 1.5],
    ['many', field('integer'), 'many'],
    ['yes', field('boolean'), true],
    ['n', field('boolean'), false],
    ['perhaps', field('boolean'), 'perhaps'],
    ['1', field('select', { options }), 'r'],
    ['red', field('select', { options }), 'r'],
    ['7', field('select', { options }), '7'],
    ['blue', field('select', { options }), 'blue'],
    ['1, Seven', field('multi-select', { options }), ['r', '7']],
    [' some words ', field('text'), 'some words'],
    ['', field('text', { default: 'as before' }), 'as before'],
    ['', field('text'), undefined],
  ])('%j for %o is %j', (line, asked, value) => {
    expect(answeredBy(asked, line)).toEqual(value);
  });

  test('is asked for with its options, its default, and whether it may be left out', () => {
    expect(fieldPrompt(field('select', { options, default: 'r' }))).toBe('F  1) Red  2) Seven [r] (optional): ');
    expect(fieldPrompt(field('boolean', { required: true }))).toBe('F (yes/no): ');
  });
});
