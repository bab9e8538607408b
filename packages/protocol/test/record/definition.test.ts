import { defineRecord, durabilityOf, recordDefinitions } from '@rostra/protocol/record/definition';
import { FactPayloads } from '@rostra/protocol/record/fact';
import { SessionPayloads } from '@rostra/protocol/session/message';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const kinds = Object.entries({ ...SessionPayloads, FACT: FactPayloads }).flatMap(([event, subtypes]) =>
  Object.entries(subtypes).map(([subtype, data]): [string, z.ZodType] => [`${event}:${subtype}`, data]),
);

function durability(kind: string) {
  const [event = '', subtype = ''] = kind.split(':');
  return durabilityOf({ event, subtype });
}

describe('record definitions', () => {
  it('are one for every kind of session message and of fact, and nothing else', () => {
    expect([...recordDefinitions.keys()].sort()).toEqual(kinds.map(([kind]) => kind).sort());
  });

  it.each(kinds)('%s has the schema of its payload, a version and a durability class', (kind, data) => {
    const definition = recordDefinitions.get(kind);
    expect(definition?.data).toBe(data);
    expect(definition?.version).toBe(1);
    expect(['flush', 'commit']).toContain(definition?.durability);
    expect(durability(kind)).toBe(definition?.durability);
  });

  it('given twice are refused', () => {
    const again = { type: 'CONTROL:CANCEL' as const, version: 1, durability: 'flush' as const, data: z.object({}) };
    expect(() => defineRecord(again)).toThrow('record type CONTROL:CANCEL is defined twice');
  });

  it.each(['USER_INPUT:INPUT', 'EVENT:TURN_ACCEPTED', 'EVENT:TURN_COMPLETED', 'EVENT:TURN_FAILED', 'EVENT:CANCELED'])(
    '%s is on disk before anyone sees it',
    (kind) => expect(durability(kind)).toBe('flush'),
  );

  it('let text and acknowledgements wait for the disk, and nothing that a client was promised', () => {
    const commit = [...recordDefinitions.values()].filter(({ durability }) => durability === 'commit');
    expect(commit.map(({ type }) => type).sort()).toEqual([
      'AGENT_OUTPUT:chunk',
      'AGENT_OUTPUT:message.ended',
      'AGENT_OUTPUT:message.started',
      'CONTROL:HANDOVER_ACCEPTED',
      'CONTROL:INPUT_ACK',
      'CONTROL:RUN_ALIVE',
      'EVENT:ADDING_AGENT',
      'EVENT:AGENT_STARTED',
      'EVENT:CANCEL_SENT',
      'EVENT:NO_ACTIVE_SPEAKING',
      'FACT:SYSTEM_EVENT',
    ]);
  });

  it('name raw events, tool calls, results of delivery, errors and system events (CX-1.9)', () => {
    for (const kind of [
      'FACT:RAW_EVENT',
      'AGENT_OUTPUT:tool.call.started',
      'AGENT_OUTPUT:tool.call.completed',
      'FACT:DELIVERY_RESULT',
      'FACT:HOST_ERROR',
      'ERROR:RUN_FAILED',
      'FACT:SYSTEM_EVENT',
    ]) {
      expect(recordDefinitions.has(kind)).toBe(true);
    }
  });

  it('treat a kind that nobody defined as the strongest class', () => {
    expect(durability('POEM:HAIKU')).toBe('flush');
  });
});
