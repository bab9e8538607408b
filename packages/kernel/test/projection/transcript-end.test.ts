import { TranscriptEnd } from '@rostra/kernel/projection/transcript-end';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const row = fc.record({
  turn_id: fc.constantFrom('a', 'b', 'c', null),
  thread_id: fc.constantFrom(null, null, 't'),
  bot_id: fc.constantFrom(null, null, 'b'),
});

describe('the end of a transcript', () => {
  it('is what reading its rows would tell', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 8 }), fc.constantFrom('a', 'b', 'd'), (rows, turn_id) => {
        const end = new TranscriptEnd(true);
        const numbered = rows.map((each, index) => ({ ...each, seq: index * 3 + 1, supersedes: null }));
        for (const each of numbered) end.add(each);
        const own = numbered.filter(({ thread_id, bot_id }) => thread_id === null && bot_id === null);
        expect(end.of(turn_id)).toEqual({
          seq: own.at(-1)?.seq ?? null,
          has_before: own.some((each) => each.turn_id !== turn_id),
        });
      }),
    );
  });

  it('is not known of a session that was loaded, until another turn has spoken since', () => {
    const end = new TranscriptEnd(false);
    expect(end.of('a')).toBeNull();
    end.add({ seq: 7, turn_id: 'a', thread_id: null, bot_id: null, supersedes: null });
    expect(end.of('a')).toBeNull();
    end.add({ seq: 9, turn_id: 'b', thread_id: null, bot_id: null, supersedes: null });
    expect(end.of('b')).toEqual({ seq: 9, has_before: true });
    expect(end.of('a')).toEqual({ seq: 9, has_before: true });
  });

  it('is not known where a message took others back, until another turn has spoken since', () => {
    const end = new TranscriptEnd(true);
    end.add({ seq: 1, turn_id: 'a', thread_id: null, bot_id: null, supersedes: null });
    end.add({ seq: 5, turn_id: 'b', thread_id: null, bot_id: null, supersedes: 1 });
    expect(end.of('b')).toBeNull();
    end.add({ seq: 9, turn_id: 'c', thread_id: null, bot_id: null, supersedes: null });
    expect(end.of('c')).toEqual({ seq: 9, has_before: true });
  });
});
