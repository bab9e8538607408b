import { limits } from '@rostra/protocol/wire/limits';
import { expect, it } from 'vitest';
import { tooLong } from '../../src/chat/message-length.ts';

it('a message that the host would refuse for its length is told how long it may be', () => {
  expect(tooLong('x'.repeat(limits.run_user_text_chars))).toBeNull();
  expect(tooLong('x'.repeat(limits.run_user_text_chars + 1))).toContain('10,001 characters, and one may have 10,000');
});

it('a character outside of the basic plane counts once', () => {
  expect(tooLong('🙂'.repeat(limits.run_user_text_chars))).toBeNull();
});
