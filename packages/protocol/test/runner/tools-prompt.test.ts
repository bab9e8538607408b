import { describe, expect, it } from 'vitest';
import { buildToolsPrompt } from '../../src/runner/tools-prompt.ts';

const weather = {
  name: 'get_weather',
  description: 'Get current weather for a location',
  parameters: {
    type: 'object',
    properties: {
      location: { type: 'string', description: 'City name' },
      unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    },
    required: ['location'],
  },
};
const documents = {
  name: 'searchDocuments',
  description: 'Search for documents',
  parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
};

describe('the tools of a client in words', () => {
  it('are the contract’s own two tools, letter for letter', () => {
    expect(buildToolsPrompt([weather, documents])).toBe(
      `- get_weather: Get current weather for a location
  - args_schema: {"type":"object","properties":{"location":{"type":"string","description":"City name"},"unit":{"type":"string","enum":["celsius","fahrenheit"]}},"required":["location"]}
- searchDocuments: Search for documents
  - args_schema: {"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}

Note: tool arguments must strictly match args_schema.`,
    );
  });

  it('are nothing where there are none', () => {
    expect(buildToolsPrompt([])).toBe('');
  });
});
