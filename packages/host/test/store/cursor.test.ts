import { ApiError } from '@rostra/protocol/wire/api-error';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CursorScope, Cursors } from '../../src/store/cursor.ts';

const cursors = new Cursors('a key');
const name = fc.string({ maxLength: 8 });
const scopes: fc.Arbitrary<CursorScope> = fc.record({
  family: fc.constantFrom('history', 'events', 'runs'),
  workspace_id: name,
  conversation_id: name,
  thread_id: fc.option(name),
});
const positions = fc.oneof(fc.nat().map(String), fc.string({ unit: 'grapheme', maxLength: 40 }));

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
  return 'none';
}

describe('a cursor', () => {
  it('leads back to its place, in its own scope', () => {
    fc.assert(
      fc.property(scopes, positions, (scope, position) => {
        expect(cursors.open(scope, cursors.seal(scope, position))).toBe(position);
      }),
    );
  });

  it('of another list, conversation or thread is none (case 43)', () => {
    fc.assert(
      fc.property(scopes, scopes, positions, (scope, other, position) => {
        fc.pre(JSON.stringify(scope) !== JSON.stringify(other));
        expect(refusalOf(() => cursors.open(other, cursors.seal(scope, position)))).toBe('invalid_argument');
      }),
    );
  });

  it('with any character changed, left out or added is none (case 43)', () => {
    const change = fc.record({ at: fc.nat(80), text: fc.string({ maxLength: 3 }), cut: fc.nat(2) });
    fc.assert(
      fc.property(scopes, positions, change, (scope, position, { at, text, cut }) => {
        const sealed = cursors.seal(scope, position);
        const start = Math.min(at, sealed.length);
        const tampered = sealed.slice(0, start) + text + sealed.slice(start + cut);
        fc.pre(tampered !== sealed);
        expect(refusalOf(() => cursors.open(scope, tampered))).toBe('invalid_argument');
      }),
    );
  });

  it.each(['', '.', 'a', 'MQ', 'MQ.', '.AAAAAAAAAAAAAAAAAAAAAA', 'h1', '1', '\u0000', 'MQ.AAAAAAAAAAAAAAAAAAAAAA'])(
    '%j is none that this host gave',
    (text) => {
      const scope = { family: 'history', workspace_id: 'w', conversation_id: 'c', thread_id: null } as const;
      expect(refusalOf(() => cursors.open(scope, text))).toBe('invalid_argument');
    },
  );

  it('of another host is none, and that of a host with the same key is one', () => {
    const scope = { family: 'history', workspace_id: 'w', conversation_id: 'c', thread_id: null } as const;
    const sealed = cursors.seal(scope, '7');
    expect(refusalOf(() => new Cursors('another').open(scope, sealed))).toBe('invalid_argument');
    expect(new Cursors('a key').open(scope, sealed)).toBe('7');
  });

  it('that a run is told at its start is one of its own conversation and thread', () => {
    const scope = { workspace_id: 'w', conversation_id: 'c', thread_id: 't', bot_id: null };
    const own = cursors.ofRun({ ...scope, actor_id: null, subject_id: null });
    expect(cursors.open({ family: 'history', ...scope }, own.seal(7))).toBe('7');
    expect(own.open(own.seal(7))).toBe(7);
    expect(own.open('made up')).toBeNull();
    expect(cursors.ofRun({ ...scope, thread_id: null, actor_id: null, subject_id: null }).open(own.seal(7))).toBeNull();
  });
});
