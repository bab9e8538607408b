import type { UiNode } from '@rostra/protocol/run-api/ui-schema';
import { useQuery } from '@tanstack/react-query';
import { cn } from '../look/class-names.ts';
import { useUiActions } from './ui-actions.ts';

/** Shows what the host keeps. What lies elsewhere is a link: loading it would tell its owner who reads. */
export function UiImage({ node: { url, alt, fit } }: { node: Extract<UiNode, { type: 'image' }> }) {
  const actions = useUiActions();
  const id = url.startsWith('attachment:') ? url.slice('attachment:'.length) : null;
  const signed = useQuery({
    queryKey: ['attachment', id],
    queryFn: () => (id === null ? null : actions.attachmentUrl(id)),
    enabled: id !== null,
    staleTime: 10 * 60_000,
  });
  if (id === null) {
    return (
      <a className="text-sm text-accent underline" href={url} target="_blank" rel="noreferrer noopener">
        {alt}
      </a>
    );
  }
  if (typeof signed.data !== 'string') return <span className="text-sm text-dim">{alt}</span>;
  return (
    <img
      src={signed.data}
      alt={alt}
      className={cn('max-h-80 max-w-full rounded-lg', fit === 'cover' ? 'object-cover' : 'object-contain')}
    />
  );
}
