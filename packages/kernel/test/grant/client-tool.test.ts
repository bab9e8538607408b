import { describe, expect, it } from 'vitest';
import { clientToolFault, clientTools } from '../../src/grant/client-tool.ts';

describe('tools that come with an input', () => {
  it('are granted under their own names, with what the manifest may do with tools', () => {
    const offered = [{ name: 'maps', description: 'd', parameters: { type: 'object' } }, { name: 'clock' }];
    expect(clientTools(offered, ['call'])).toEqual([
      {
        tool_name: 'maps',
        tool_type: 'client',
        owner: null,
        description: 'd',
        parameters: { type: 'object' },
        operations: ['call'],
      },
      { tool_name: 'clock', tool_type: 'client', owner: null, description: null, parameters: {}, operations: ['call'] },
    ]);
  });

  it('are none for a runner that may not use tools, and none of what is no tool', () => {
    expect(clientTools([{ name: 'maps' }], [])).toEqual([]);
    expect(clientTools([null, 7, {}, { name: '' }, { name: 7 }], ['call'])).toEqual([]);
    expect(clientTools({ name: 'maps' }, ['call'])).toEqual([]);
  });

  it('named twice are the first of the two', () => {
    const twice = clientTools(
      [
        { name: 'a', description: '1' },
        { name: 'a', description: '2' },
      ],
      ['call'],
    );
    expect(twice).toMatchObject([{ description: '1' }]);
  });

  it('with the name of a tool of the host are refused', () => {
    expect(clientToolFault([{ name: 'maps' }, { name: 'search' }], ['search'])).toMatchObject({
      code: 'invalid_argument',
      message: 'the tool "search" has the name of a tool of this host',
    });
    expect(clientToolFault([{ name: 'maps' }], ['search'])).toBeNull();
  });
});
