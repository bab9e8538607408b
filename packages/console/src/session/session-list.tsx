import { AlertDialog } from '@base-ui/react/alert-dialog';
import type { SessionItem } from '@rostra/protocol/run-api/session-api';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { MessageSquarePlus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { client } from '../client.ts';
import { messageOf } from '../error-message.ts';
import { Button } from '../look/button.tsx';
import { cn } from '../look/class-names.ts';

export const sessionsKey = ['sessions'];

/** How often is asked what becomes of conversations that something goes on in. */
const AGAIN = 5_000;

function isUnderWay({ liveRuns, openInteractions }: SessionItem): boolean {
  return liveRuns > 0 || openInteractions > 0;
}

/** The conversations of whoever is logged in, the newest first. */
export function SessionList({ openId, onOpen }: { openId: string | null; onOpen(): void }) {
  const sessions = useInfiniteQuery({
    queryKey: sessionsKey,
    queryFn: ({ pageParam }) => client.sessions.list(pageParam === '' ? {} : { cursor: pageParam }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // Of the open one its stream tells; what becomes of the others is asked for.
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some((page) => page.items.some((item) => item.id !== openId && isUnderWay(item))) ? AGAIN : false,
  });
  const items = sessions.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <nav aria-label="Conversations" className="flex min-h-0 flex-1 flex-col gap-2">
      <Link
        to="/"
        onClick={onOpen}
        className="flex items-center gap-2 rounded-lg border border-line bg-raised px-3 py-2 text-sm font-medium hover:bg-soft"
      >
        <MessageSquarePlus aria-hidden className="size-4" /> New conversation
      </Link>
      <ul className="min-h-0 flex-1 overflow-y-auto">
        {items.map((item) => (
          <SessionLine key={item.id} item={item} isOpen={item.id === openId} onOpen={onOpen} />
        ))}
        {sessions.hasNextPage && (
          <Button tone="quiet" size="small" className="mt-1 w-full" onClick={() => void sessions.fetchNextPage()}>
            More
          </Button>
        )}
        {sessions.isSuccess && items.length === 0 && (
          <li className="px-3 py-2 text-sm text-dim">What you talk about will stand here.</li>
        )}
      </ul>
    </nav>
  );
}

function SessionLine({ item, isOpen, onOpen }: { item: SessionItem; isOpen: boolean; onOpen(): void }) {
  return (
    <li className={cn('group flex items-center rounded-lg', isOpen ? 'bg-soft' : 'hover:bg-soft')}>
      <Link
        to="/chat/$sessionId"
        params={{ sessionId: item.id }}
        onClick={onOpen}
        aria-current={isOpen ? 'page' : undefined}
        className="min-w-0 flex-1 px-3 py-2"
      >
        <span className="flex items-center gap-1.5">
          <span dir="auto" className="min-w-0 flex-1 truncate text-sm">
            {item.title ?? 'New conversation'}
          </span>
          {item.openInteractions > 0 && (
            <span className="rounded-full bg-warn-soft px-1.5 text-[11px] font-medium text-warn">asks</span>
          )}
          {item.liveRuns > 0 && <span className="size-2 rounded-full bg-good" title="running" />}
        </span>
        <span dir="auto" className="block truncate text-[12.5px] text-dim">
          {item.lastMessage?.text ?? ''}
        </span>
      </Link>
      <DeleteSession item={item} isOpen={isOpen} />
    </li>
  );
}

function DeleteSession({ item, isOpen }: { item: SessionItem; isOpen: boolean }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  const removal = useMutation({
    mutationFn: () => client.sessions.delete(item.id),
    onSuccess: async () => {
      setAsked(false);
      if (isOpen) await navigate({ to: '/' });
      await queries.invalidateQueries({ queryKey: sessionsKey });
    },
  });
  return (
    <AlertDialog.Root
      open={isAsked}
      onOpenChange={(open) => {
        setAsked(open);
        if (open) removal.reset();
      }}
    >
      <AlertDialog.Trigger
        aria-label={`Delete ${item.title ?? 'this conversation'}`}
        className="mr-1 cursor-pointer rounded-md p-1.5 text-dim opacity-0 group-hover:opacity-100 hover:text-bad focus-visible:opacity-100 pointer-coarse:opacity-100"
      >
        <Trash2 aria-hidden className="size-4" />
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop forceRender className="fixed inset-0 bg-black/40" />
        <AlertDialog.Popup className="fixed top-1/2 left-1/2 w-80 max-w-[90vw] -translate-x-1/2 -translate-y-1/2 rounded-2xl border border-line bg-raised p-5 shadow-xl">
          <AlertDialog.Title className="font-semibold">Delete this conversation?</AlertDialog.Title>
          <AlertDialog.Description className="mt-1 text-sm text-dim">
            Its messages, files and log are removed for good.
          </AlertDialog.Description>
          {removal.isError && (
            <p role="alert" className="mt-2 text-sm text-bad">
              It was not deleted, try again: {messageOf(removal.error)}
            </p>
          )}
          <div className="mt-4 flex justify-end gap-2">
            <AlertDialog.Close render={<Button />}>Keep it</AlertDialog.Close>
            <Button tone="danger" disabled={removal.isPending} onClick={() => removal.mutate()}>
              Delete
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
