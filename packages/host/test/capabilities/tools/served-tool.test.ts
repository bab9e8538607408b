import { limits } from '@rostra/protocol/wire/limits';
import { expect, test } from 'vitest';
import { servedTools } from '../../../src/capabilities/tools/mcp/served-tool.ts';

const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' as const }, ...more });
const hashOf = (more: object) => servedTools([tool('x', more)]).tools[0]?.hash;

test('whatever a server says of a tool is part of its hash, the order of its keys is not', () => {
  const hashes = [
    {},
    { description: 'a' },
    { title: 'a' },
    { inputSchema: { type: 'object', properties: { a: {} } } },
    { outputSchema: { type: 'object' } },
    { annotations: { readOnlyHint: true } },
  ].map(hashOf);
  expect(new Set(hashes).size).toBe(hashes.length);
  const [one, other] = [
    { inputSchema: { type: 'object', required: ['a'] } },
    { inputSchema: { required: ['a'], type: 'object' } },
  ].map(hashOf);
  expect(one).toBe(other);
});

test('a description that is cut still counts as a whole', () => {
  const words = 'w'.repeat(limits.tool_description_chars);
  const { tools } = servedTools([tool('x', { description: `${words}1` }), tool('y', { description: words })]);
  expect(tools.map(({ description }) => description.length)).toEqual([words.length, words.length]);
  expect(tools[0]?.description.endsWith('…')).toBe(true);
  expect(hashOf({ description: `${words}1` })).not.toBe(hashOf({ description: `${words}2` }));
});

test('what cannot be offered is left out and told', () => {
  const schema = (size: number) => ({ inputSchema: { type: 'object', title: 'x'.repeat(size) } });
  const most = limits.tool_schema_bytes - JSON.stringify(schema(0).inputSchema).length;
  expect(servedTools([tool('a', schema(most))])).toMatchObject({ problem: null, tools: [{ name: 'a' }] });
  expect(servedTools([tool('a', schema(most + 1)), tool('b')])).toMatchObject({
    problem: 'One tool is left out: the schema of a is too large.',
    tools: [{ name: 'b' }],
  });
  expect(servedTools([tool('two'), tool('two', { description: 'another' })])).toMatchObject({
    problem: 'One tool is left out: there are two of the name two.',
  });
  const names = ['', 'n'.repeat(limits.tool_name_chars + 1), 'a\u001b[2J', 'a\u202eb'];
  expect(servedTools(names.map((name) => tool(name))).tools).toEqual([]);
  const many = Array.from({ length: limits.tool_server_tools + 1 }, (_, n) => tool(`t${n}`));
  expect(servedTools(many).tools).toHaveLength(limits.tool_server_tools);
});
