import { hash } from 'node:crypto';

/**
 * An id in the form of a UUID that follows from these parts and from nothing else: the same event names the same turn
 * and the same conversation the same session, over repeats and restarts.
 */
export function derivedId(...parts: readonly (string | null)[]): string {
  const digest = hash('sha256', JSON.stringify(parts), 'hex');
  const variant = '89ab'[Number.parseInt(digest.charAt(16), 16) % 4] ?? '8';
  const groups = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ];
  return groups.join('-');
}
