import { cleanText } from '../text-decoding.ts';

/** What a page has beside its words. */
const unread = [
  'script',
  'style',
  'noscript',
  'template',
  'iframe',
  'object',
  'embed',
  'svg',
  'head',
  'title',
] as const;

/** An element, as far as it is looked at. */
interface PageElement {
  readonly nodeName: string;
  getAttribute(name: string): string | null;
}

/** What a browser would not show: words that only a machine reads are left out. */
function isHidden(node: PageElement): boolean {
  if (node.getAttribute('hidden') !== null) return true;
  return /display\s*:\s*none|visibility\s*:\s*hidden/i.test(node.getAttribute('style') ?? '');
}

/** Elements that are over without saying so: they do not make a page deeper. */
const unclosed = new Set(
  'area base br col embed hr img input link meta source track wbr p li dt dd tr td th tbody thead tfoot option rp rt'.split(
    ' ',
  ),
);
const DEPTH = 512;

/** Whether elements stand inside each other without end: what reads them would need a stack without one. */
export function isTooDeep(html: string): boolean {
  let depth = 0;
  for (const [, close, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9-]{0,30})/gi)) {
    if (unclosed.has(name.toLowerCase())) continue;
    depth = close === '' ? depth + 1 : Math.max(0, depth - 1);
    if (depth > DEPTH) return true;
  }
  return false;
}

/** The words of a page as Markdown: headings, lists, tables and code; no links, no images, nothing that runs. */
export async function markdownOfHtml(html: string): Promise<string> {
  const { default: Turndown } = await import('turndown');
  const service = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-', hr: '' });
  // What is searched are words as people write them, without backslashes.
  service.escape = (text) => text;
  service.remove((node: PageElement) => unread.some((name) => name === node.nodeName.toLowerCase()));
  service.addRule('link', { filter: 'a', replacement: (content) => content });
  service.addRule('image', { filter: 'img', replacement: (_, node) => altOf(node) });
  service.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (content) => `| ${content.trim().replace(/\s+/g, ' ')} `,
  });
  service.addRule('row', { filter: 'tr', replacement: (content) => `${content}|\n` });
  // The last rule is asked first: a hidden paragraph is hidden before it is a paragraph.
  service.addRule('hidden', { filter: isHidden, replacement: () => '' });
  return cleanText(service.turndown(html));
}

function altOf(node: object): string {
  const alt = 'getAttribute' in node && typeof node.getAttribute === 'function' ? node.getAttribute('alt') : null;
  return typeof alt === 'string' ? alt : '';
}
