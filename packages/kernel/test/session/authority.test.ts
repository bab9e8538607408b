import { type SessionKind, type SessionMessage, SessionPayloads } from '@rostra/protocol/session/message';
import type { Sender } from '@rostra/protocol/session/sender';
import { describe, expect, it } from 'vitest';
import { runOf, type Sample, samples } from './message-samples.ts';
import { mayBeSentBy, senders } from './senders.ts';
import { SessionBench } from './session-bench.ts';

function hasEffect(kind: string, { bench, payload, tx_id }: Sample, sender: Sender): boolean {
  const [event, subtype] = kind.split(':');
  const before = bench.context;
  const message = {
    ...bench.make('CONTROL', 'RUN_ALIVE', {}, { ...runOf(before), sender }),
    ...(tx_id !== undefined && { tx_id }),
    event,
    subtype,
    payload,
  };
  const published = bench.take(message as SessionMessage);
  return bench.context !== before || published.length > 0;
}

const kinds = Object.keys(samples) as SessionKind[];

describe.each(kinds)('%s', (kind) => {
  it.each(Object.keys(senders))('from %s', (name) => {
    const sample = samples[kind];
    const sender = senders[name];
    if (sample === undefined || sender === undefined) throw new Error('no such sample');
    // Outputs of the wrong agent and receipts without their transaction are told apart by rule, not by this table.
    expect(hasEffect(kind, sample(), sender)).toBe(mayBeSentBy(kind).includes(name));
  });
});

describe('kinds that only the session publishes', () => {
  const all = Object.entries(SessionPayloads).flatMap(([event, subtypes]) =>
    Object.keys(subtypes).map((subtype) => `${event}:${subtype}`),
  );
  const published = all.filter((kind) => !Object.hasOwn(samples, kind));

  it.each(published)('%s has no effect, whoever sends it', (kind) => {
    for (const sender of Object.values(senders)) {
      const bench = SessionBench.open();
      bench.say();
      expect(hasEffect(kind, { bench, payload: {} }, sender)).toBe(false);
    }
  });

  it('with the ones above make up every kind there is', () => {
    expect([...kinds, ...published].sort()).toEqual(all.sort());
  });
});
