import { DynamicFormItem } from '@rostra/runner-sdk';
import { expect, test } from 'vitest';
import { settingsOf } from '../src/config.ts';
import { configForm } from '../src/config-form.ts';
import { localAgent } from '../src/runner.ts';

test('the form is made of items as every host knows them, and has one for every setting', () => {
  const items = configForm.map((item) => DynamicFormItem.parse(item));
  expect(items.map(({ name }) => name).sort()).toEqual(Object.keys(settingsOf({})).sort());
  expect(localAgent({ now: () => 0 }).manifest.config_schema).toEqual(configForm);
});

test('the values that the form shows are those that hold where nothing is told', () => {
  const settings: Record<string, unknown> = { ...settingsOf({}) };
  for (const item of configForm.map((each) => DynamicFormItem.parse(each))) {
    if (item.default !== undefined) expect([item.name, settings[item.name]]).toEqual([item.name, item.default]);
  }
});

test.each([
  ['model', 7],
  ['fallback_models', 'a'],
  ['tools', [1]],
  ['parallel_tools', 'yes'],
  ['temperature', 3],
  ['top_k', 2.5],
])('%s = %j is refused by its name', (name, value) => {
  expect(() => settingsOf({ [name]: value })).toThrow(name);
});

test('a form that was left empty is no configuration', () => {
  expect(settingsOf({ model: '', prompt: '', tools: null })).toEqual(settingsOf({}));
});
