import { limits } from '@rostra/protocol/wire/limits';
import { isKeyText } from '../state/key-text.ts';

/**
 * Why this can be no key of storage, or no prefix of one; null when it can. Keys name rows and never files: a step
 * upwards means nothing here, and whoever asks for one means something else.
 */
export function storageKeyFault(key: string): string | null {
  if (key.length > limits.storage_key_chars) return `A storage key has at most ${limits.storage_key_chars} characters.`;
  if (!isKeyText(key)) return 'A storage key has no control characters.';
  return key.split(/[/\\]/).includes('..') ? 'A storage key has no step upwards in it.' : null;
}
