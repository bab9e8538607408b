/** Whether a header can carry it; no key of a host has anything else in it. */
export function isBearerKey(key: string): boolean {
  return /^[\x21-\x7e]*$/.test(key);
}
