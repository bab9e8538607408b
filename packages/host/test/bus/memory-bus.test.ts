import type { SessionMessage } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { expect, it } from 'vitest';
import { MemoryBus } from '../../src/bus/memory/memory-bus.ts';

function message(id: string): SessionMessage {
  const sender = { kind: 'session' as const, id: 's' };
  return MessageFactory.control('INPUT_ACK', {}, { id, session_id: 's', sender, target: 'SYSTEM', ts: 0, epoch: 1 });
}

it('what a listener publishes comes after what is being delivered', () => {
  const bus = new MemoryBus(() => undefined);
  const seen: string[] = [];
  bus.subscribe('session', ({ id }) => {
    seen.push(`a:${id}`);
    if (id === '1') bus.publish('session', message('2'));
  });
  bus.subscribe('session', ({ id }) => seen.push(`b:${id}`));
  bus.publish('session', message('1'));
  expect(seen).toEqual(['a:1', 'b:1', 'a:2', 'b:2']);
});

it('a listener that throws is reported and keeps nobody else from hearing', () => {
  const errors: unknown[] = [];
  const bus = new MemoryBus((error) => errors.push(error));
  const seen: string[] = [];
  bus.subscribe('orchestrator', () => {
    throw new Error('no');
  });
  bus.subscribe('orchestrator', ({ id }) => seen.push(id));
  bus.publish('orchestrator', message('1'));
  bus.publish('session', message('2'));
  expect(seen).toEqual(['1']);
  expect(errors).toHaveLength(1);
});

it('followers hear of their session only, until they leave', () => {
  const bus = new MemoryBus(() => undefined);
  const seen: number[] = [];
  const leave = bus.follow('s', ({ epoch }) => seen.push(epoch));
  bus.announce({ session_id: 's', epoch: 1, records: [] });
  bus.announce({ session_id: 't', epoch: 2, records: [] });
  leave();
  leave();
  bus.announce({ session_id: 's', epoch: 3, records: [] });
  expect(seen).toEqual([1]);
  expect(bus.followed).toBe(0);
});

it('one that leaves and one that comes during a delivery do not disturb it', () => {
  const bus = new MemoryBus(() => undefined);
  const seen: string[] = [];
  const leave = bus.follow('s', () => {
    seen.push('a');
    leave();
    bus.follow('s', () => seen.push('c'));
  });
  bus.follow('s', () => seen.push('b'));
  bus.announce({ session_id: 's', epoch: 1, records: [] });
  expect(seen).toEqual(['a', 'b']);
  bus.announce({ session_id: 's', epoch: 1, records: [] });
  expect(seen).toEqual(['a', 'b', 'b', 'c']);
});
