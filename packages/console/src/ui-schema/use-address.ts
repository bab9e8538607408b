import { useQuery } from '@tanstack/react-query';
import { ownId } from './own-address.ts';
import { useUiActions } from './ui-actions.ts';

/** Signed addresses are good for a little longer. */
const FRESH = 10 * 60_000;

/** An address that a browser can load, always a good one: null until the host has signed it, and when it does not. */
export function useAddress(url: string | null): string | null {
  const actions = useUiActions();
  const id = url === null ? null : ownId(url);
  const signed = useQuery({
    queryKey: ['attachment', id],
    queryFn: () => (id === null ? null : actions.attachmentUrl(id)),
    enabled: id !== null,
    staleTime: FRESH,
    refetchInterval: FRESH,
  });
  return id === null ? url : (signed.data ?? null);
}
