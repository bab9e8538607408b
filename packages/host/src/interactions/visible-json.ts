import { canonicalJson } from '@rostra/protocol/wire/canonical-json';
import type { Json } from '@rostra/protocol/wire/json';

/** Letters that are not seen, or show others in another order than they are sent in. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A value as a person is shown it who decides about it: the same JSON, with every letter in sight. */
export function visibleJson(value: Json): string {
  return canonicalJson(value).replace(unseen, (letter) => letter.split('').map(escaped).join(''));
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
