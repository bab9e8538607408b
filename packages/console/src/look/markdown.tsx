import { defaultRehypePlugins, defaultRemarkPlugins, Streamdown } from 'streamdown';
import { noHtml, ownDirections } from './markdown-rules.ts';

const components = {
  // An address in an agent's words could carry what it read to somebody else: nothing is loaded unasked.
  img: ({ src, alt }: { src?: unknown; alt?: string | undefined }) => (
    <Outside href={src}>{alt === undefined || alt === '' ? 'image' : alt}</Outside>
  ),
  a: ({ href, children }: { href?: unknown; children?: React.ReactNode }) => <Outside href={href}>{children}</Outside>,
};

/**
 * A link to elsewhere; what leads nowhere that is allowed, or is not written to its end yet, is only its words. So is what
 * leads to a place of the page: footnotes of all messages have the same names.
 */
function Outside({ href, children }: { href: unknown; children: React.ReactNode }) {
  if (typeof href !== 'string' || href === '' || /^(?:#|streamdown:)/.test(href)) return <span>{children}</span>;
  return (
    <a href={href} rel="noreferrer noopener" target="_blank">
      {children}
    </a>
  );
}

const { sanitize } = defaultRehypePlugins;
const rehypePlugins = [...(sanitize === undefined ? [] : [sanitize]), ownDirections];
const remarkPlugins = [...Object.values(defaultRemarkPlugins), noHtml];
/** What is no tag has no end that could be missing. */
const remend = { htmlTags: false } as const;

/** Markdown while it arrives: what is not closed yet is shown as if it were. */
export function Markdown({ text, isOpen }: { text: string; isOpen: boolean }) {
  return (
    <Streamdown
      className="prose-chat"
      components={components}
      controls={false}
      mode={isOpen ? 'streaming' : 'static'}
      rehypePlugins={rehypePlugins}
      remarkPlugins={remarkPlugins}
      remend={remend}
    >
      {text}
    </Streamdown>
  );
}
