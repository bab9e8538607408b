import { limits } from '@rostra/protocol/wire/limits';

const max = limits.run_user_text_chars;

/** Why a message is too long to be sent, and what to do; null when it is not. The host counts the same way. */
export function tooLong(text: string): string | null {
  const length = text.length <= max ? text.length : [...text].length;
  if (length <= max) return null;
  const [has, may] = [length, max].map((count) => count.toLocaleString('en'));
  return `This message has ${has} characters, and one may have ${may}. Shorten it, or send it in parts.`;
}
