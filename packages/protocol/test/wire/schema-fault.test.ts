import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { schemaFault } from '../../src/wire/schema-fault.ts';

const Order = z.object({ name: z.string(), lines: z.array(z.object({ count: z.number() })) });

function faultOf(value: unknown, above?: string[]) {
  const { error } = Order.safeParse(value);
  if (error === undefined) throw new Error('nothing is wrong');
  return schemaFault(error, 'the order', above);
}

describe('what a schema finds wrong', () => {
  it('is named by its path, and never repeated', () => {
    const { path, sentence } = faultOf({ name: 'a', lines: [{ count: 'secret' }] });
    expect(path).toBe('lines.0.count');
    expect(sentence).toMatch(/^lines\.0\.count: /);
    expect(sentence).not.toContain('secret');
  });

  it('has the name of the whole where it is wrong as a whole', () => {
    const { path, sentence } = faultOf('secret');
    expect(path).toBe('');
    expect(sentence).toMatch(/^the order: /);
  });

  it('is led to by what stands above', () => {
    expect(faultOf({ lines: [] }, ['payload']).path).toBe('payload.name');
    expect(faultOf(null, ['payload']).sentence).toMatch(/^payload: /);
  });
});
