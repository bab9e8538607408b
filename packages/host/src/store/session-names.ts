import { limits } from '@rostra/protocol/wire/limits';
import type { SessionNames } from './port.ts';

/** FNV-1a: a name as a number, for who only wants to know that a name is new. Two names may share one. */
export function nameNumber(name: string): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash;
}

/** Null when there are more than anybody remembers. */
export function sessionNames(messages: readonly string[], said: readonly string[]): SessionNames | null {
  if (messages.length + said.length > limits.known_names) return null;
  return { messages: Int32Array.from(messages, nameNumber), said: Int32Array.from(said, nameNumber) };
}
