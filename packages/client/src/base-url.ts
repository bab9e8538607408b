/**
 * Whether fetch can be asked by it: the full address of a host, or a path of the page that asks. What stands behind it
 * is the client's.
 */
export function isBaseUrl(text: string): boolean {
  if (isOfPage(text)) return URL.canParse(text, 'http://page');
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return `${username}${password}${search}${hash}` === '';
}

/** Nothing, or a path: the page that asks says of which host. */
export function isOfPage(text: string): boolean {
  return text === '' || /^\/(?!\/)/.test(text);
}
