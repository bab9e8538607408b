import { InteractionField } from '@rostra/protocol/api/interactions';
import { describe, expect, it } from 'vitest';
import { responseSchema, resumeAnswer } from '../../src/interaction/resume-answer.ts';

const action = (id: string) => ({ id, label: id });
const fields = [
  InteractionField.parse({ id: 'city', label: 'City', type: 'string', required: true, max: 20 }),
  InteractionField.parse({ id: 'days', label: 'Days', type: 'integer', min: 1, max: 7 }),
];
const yesNo = { fields: [], actions: [action('confirm'), action('cancel')] };
const form = { fields, actions: [action('submit'), action('cancel')] };
const choice = { fields: [], actions: [action('red'), action('blue'), action('cancel')] };

describe('the schema of an answer', () => {
  it('is a yes or no where there is nothing else to say', () => {
    expect(responseSchema(yesNo)).toMatchObject({ properties: { approved: { type: 'boolean' } } });
  });

  it('is the fields of a form', () => {
    expect(responseSchema(form)).toEqual({
      type: 'object',
      properties: {
        city: { title: 'City', type: 'string', maxLength: 20 },
        days: { title: 'Days', type: 'integer', minimum: 1, maximum: 7 },
      },
      required: ['city'],
    });
  });

  it('is an action where there are several', () => {
    expect(responseSchema(choice)).toMatchObject({ properties: { action: { enum: ['red', 'blue', 'cancel'] } } });
  });
});

describe('the answer of a resume', () => {
  it.each([
    [yesNo, 'resolved', { approved: true }, { action_id: 'confirm', values: {} }],
    [yesNo, 'resolved', true, { action_id: 'confirm', values: {} }],
    [yesNo, 'resolved', undefined, { action_id: 'confirm', values: {} }],
    [yesNo, 'resolved', { approved: false }, { action_id: 'cancel', values: {} }],
    [yesNo, 'cancelled', { approved: true }, { action_id: 'cancel', values: {} }],
    [form, 'resolved', { city: 'Oslo', days: 2 }, { action_id: 'submit', values: { city: 'Oslo', days: 2 } }],
    [
      form,
      'resolved',
      { action: 'submit', values: { city: 'Oslo' } },
      { action_id: 'submit', values: { city: 'Oslo' } },
    ],
    [choice, 'resolved', { action: 'blue' }, { action_id: 'blue', values: {} }],
    [
      { fields: [], actions: [action('approve'), action('deny')] },
      'cancelled',
      null,
      { action_id: 'deny', values: {} },
    ],
    [
      { fields: [], actions: [action('once_more'), action('stop')] },
      'cancelled',
      null,
      { action_id: 'stop', values: {} },
    ],
    // Nothing is chosen for a person who did not choose.
    [yesNo, 'resolved', 'no', { action_id: '', values: {} }],
    [yesNo, 'resolved', 0, { action_id: '', values: {} }],
    [yesNo, 'resolved', null, { action_id: '', values: {} }],
    [yesNo, 'resolved', '', { action_id: '', values: {} }],
    [yesNo, 'resolved', {}, { action_id: '', values: {} }],
    [yesNo, 'resolved', { approved: 'no' }, { action_id: '', values: {} }],
    [form, 'resolved', 'Oslo', { action_id: '', values: {} }],
    [form, 'resolved', {}, { action_id: 'submit', values: {} }],
    [choice, 'resolved', { approved: true }, { action_id: '', values: {} }],
    [{ fields: [], actions: [action('keep'), action('erase')] }, 'cancelled', null, { action_id: '', values: {} }],
    [{ fields: [], actions: [action('erase')] }, 'cancelled', null, { action_id: '', values: {} }],
    [{ fields: [], actions: [action('erase')] }, 'resolved', true, { action_id: 'erase', values: {} }],
  ] as const)('%#: %j, %s with %j', (asked, status, payload, answer) => {
    const given = { fields: [...asked.fields], actions: [...asked.actions] };
    expect(resumeAnswer(given, status, payload)).toEqual(answer);
  });
});
