import { Streamdown } from 'streamdown';

const components = {
  // An address in an agent's words could carry what it read to somebody else: nothing is loaded unasked.
  img: ({ src, alt }: { src?: unknown; alt?: string | undefined }) => (
    <a href={typeof src === 'string' ? src : undefined} rel="noreferrer noopener" target="_blank">
      {alt === undefined || alt === '' ? 'image' : alt}
    </a>
  ),
  a: ({ href, children }: { href?: string | undefined; children?: React.ReactNode }) => (
    <a href={href} rel="noreferrer noopener" target="_blank">
      {children}
    </a>
  ),
};

/** Markdown while it arrives: what is not closed yet is shown as if it were. */
export function Markdown({ text, isOpen }: { text: string; isOpen: boolean }) {
  return (
    <Streamdown
      className="prose-chat"
      components={components}
      controls={false}
      mode={isOpen ? 'streaming' : 'static'}
      skipHtml
    >
      {text}
    </Streamdown>
  );
}
