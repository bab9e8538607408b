/** Elements whose content nobody reads. */
const silent = ['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object', 'title'] as const;
const COMMENT = '<!--';

interface Skipped {
  readonly from: number;
  readonly to: number;
}

/**
 * Reads markup from its beginning to its end, once, and never looks back: however it is made, that takes no longer than
 * its length.
 */
function skips(html: string): Skipped[] {
  const lower = inSmall(html);
  const found: Skipped[] = [];
  for (let at = lower.indexOf('<'); at >= 0; ) {
    const to = endOf(lower, at);
    if (to !== null) found.push({ from: at, to });
    at = lower.indexOf('<', to ?? at + 1);
  }
  return found;
}

/** In small letters, where these are as long as the large ones. */
function inSmall(html: string): string {
  return html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Where what is silent ends; null when something else begins here. What is never closed goes on to the end. */
function endOf(lower: string, at: number): number | null {
  if (lower.startsWith(COMMENT, at)) return after(lower, '-->', at + COMMENT.length);
  const name = silent.find((each) => lower.startsWith(each, at + 1) && isNameEnd(lower, at + 1 + each.length));
  if (name === undefined) return null;
  const closing = lower.indexOf(`</${name}`, at);
  return closing < 0 ? lower.length : after(lower, '>', closing);
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at + mark.length;
}

function isNameEnd(text: string, at: number): boolean {
  return [' ', '\n', '\t', '\r', '>', '/', ''].includes(text.charAt(at));
}

/** The title that a page gives itself; empty when it has none. */
export function titleOf(html: string): string {
  const lower = inSmall(html);
  const at = lower.indexOf('<title');
  const from = at < 0 ? -1 : lower.indexOf('>', at);
  const to = from < 0 ? -1 : lower.indexOf('</title', from);
  return to < 0 ? '' : textOf(html.slice(from + 1, to)).trim();
}

/** A page without what nobody reads of it. */
export function readable(html: string): string {
  let kept = '';
  let at = 0;
  for (const { from, to } of skips(html)) {
    kept += html.slice(at, from);
    at = to;
  }
  return kept + html.slice(at);
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** The words of some markup without any of its form: what is left when it cannot be made a text otherwise. */
export function textOf(html: string): string {
  let text = '';
  let at = 0;
  for (let open = html.indexOf('<'); open >= 0; open = html.indexOf('<', at)) {
    text += html.slice(at, open);
    const close = html.indexOf('>', open);
    // Lines are kept apart; which elements are lines is not known here.
    text += '\n';
    at = close < 0 ? html.length : close + 1;
  }
  text += html.slice(at);
  const words = text.replace(/&([a-z]{2,4});/g, (whole, name: string) => entities[name] ?? whole);
  return words
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}
