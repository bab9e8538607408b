import type { UiNode } from '@rostra/protocol/run-api/ui-schema';
import { cn } from '../look/class-names.ts';
import { ownId } from './own-address.ts';
import { useAddress } from './use-address.ts';

/** Shows what the host keeps. What lies elsewhere is a link: loading it would tell its owner who reads. */
export function UiImage({ node: { url, alt, fit } }: { node: Extract<UiNode, { type: 'image' }> }) {
  const address = useAddress(url);
  if (ownId(url) === null) {
    return (
      <a className="text-sm text-accent underline" href={url} target="_blank" rel="noreferrer noopener">
        {alt}
      </a>
    );
  }
  if (address === null) return <span className="text-sm text-dim">{alt}</span>;
  return (
    <img
      src={address}
      alt={alt}
      className={cn('max-h-80 max-w-full rounded-lg', fit === 'cover' ? 'object-cover' : 'object-contain')}
    />
  );
}
