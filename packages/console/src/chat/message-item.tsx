import { type ClientResult, callsIn, resultsIn } from '@rostra/protocol/session/client-call';
import type { Json } from '@rostra/protocol/wire/json';
import { Brain, FileText, TriangleAlert } from 'lucide-react';
import { memo } from 'react';
import { AgentMark } from '../look/agent-mark.tsx';
import { cn } from '../look/class-names.ts';
import { Said } from '../look/said.tsx';
import { ownAddress } from '../ui-schema/own-address.ts';
import { UiCard } from '../ui-schema/ui-card.tsx';
import { useAddress } from '../ui-schema/use-address.ts';
import type { Attached, ChatItem, FileItem, NoticeItem, QuestionItem, SaidItem, UserItem } from './chat-state.ts';
import { HandoverCard } from './handover-card.tsx';
import { type Answer, QuestionCard } from './question-card.tsx';
import { ToolCard } from './tool-card.tsx';

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function User({ item, isWaiting }: { item: UserItem; isWaiting: boolean }) {
  return (
    <div className="flex flex-col items-end gap-1" data-testid="user-message">
      <div className="max-w-[85%] rounded-2xl rounded-br-md bg-accent-soft px-4 py-2.5">
        {item.attached.map((each) => (
          <Attachment key={each.url ?? each.name} attached={each} />
        ))}
        <div dir="auto" className="break-words whitespace-pre-wrap">
          {item.text}
        </div>
      </div>
      {isWaiting && <span className="text-[12.5px] text-dim">waits for its turn</span>}
    </div>
  );
}

function Attachment({ attached: { url, name, mimeType } }: { attached: Attached }) {
  const address = useAddress(url);
  if (address !== null && mimeType.startsWith('image/')) {
    return <img src={address} alt={name} className="mb-2 max-h-64 rounded-lg" />;
  }
  return (
    <span className="mb-1 flex items-center gap-1.5 text-sm text-dim">
      <FileText aria-hidden className="size-4 shrink-0" /> <FileName name={name} address={address} />
    </span>
  );
}

/** A click saves it. */
function FileName({ name, address }: { name: string; address: string | null }) {
  if (address === null) return <span className="min-w-0 break-words">{name}</span>;
  return (
    <a href={address} download={name} className="min-w-0 break-words text-accent underline underline-offset-2">
      {name}
    </a>
  );
}

const fates = { complete: null, cancelled: 'stopped here', failed: 'broke off here' } as const;

function Agent({ item }: { item: SaidItem }) {
  const fate = fates[item.fate];
  return (
    <div className="flex gap-3" data-testid="agent-message" data-agent={item.agentId}>
      <AgentMark name={item.agentId} className="mt-0.5" />
      <div className="min-w-0 flex-1">
        <div className="mb-0.5 text-[13px] font-medium text-dim">
          {item.agentId}
          {item.isEdited && <span className="font-normal"> · edited</span>}
        </div>
        {item.reasoning !== '' && (
          <details className="mb-1.5 text-[13px] text-dim" open={item.isOpen && item.text === ''}>
            <summary className="flex cursor-pointer items-center gap-1.5">
              <Brain aria-hidden className="size-3.5" /> Thoughts
            </summary>
            <p dir="auto" className="mt-1 border-s-2 border-line ps-3 whitespace-pre-wrap">
              {item.reasoning}
            </p>
          </details>
        )}
        <div className={cn('break-words', item.isOpen && 'caret')}>
          {item.text !== '' && <Said text={item.text} isOpen={item.isOpen} />}
        </div>
        {item.ui !== null && (
          <div className="mt-2">
            <UiCard ui={item.ui} />
          </div>
        )}
        {fate !== null && <div className="mt-1 text-[13px] text-dim italic">{fate}</div>}
      </div>
    </div>
  );
}

function Notice({ item: { text, tone, hint } }: { item: NoticeItem }) {
  if (tone === 'quiet') {
    return (
      <div className="flex items-center gap-3 text-[12.5px] text-dim" role="status">
        <span className="h-px flex-1 bg-line" />
        {text}
        <span className="h-px flex-1 bg-line" />
      </div>
    );
  }
  return (
    <div
      role="alert"
      className={cn(
        'flex gap-2 rounded-lg px-3 py-2 text-sm',
        tone === 'error' ? 'bg-bad-soft text-bad' : 'bg-warn-soft text-warn',
      )}
    >
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="break-words">
        {text}
        {hint !== null && ` ${hint}`}
      </span>
    </div>
  );
}

/** What an agent made: a picture is shown, anything is saved by a click. */
function File({ item: { id, name, mimeType, size } }: { item: FileItem }) {
  const address = useAddress(ownAddress(id));
  return (
    <div
      className="ml-10 w-fit max-w-full rounded-lg border border-line bg-raised px-3 py-2 text-sm"
      data-testid="file"
    >
      {address !== null && mimeType.startsWith('image/') && (
        <img src={address} alt={name} className="mb-2 max-h-80 max-w-full rounded-lg object-contain" />
      )}
      <div className="flex items-center gap-2">
        <FileText aria-hidden className="size-4 shrink-0 text-dim" />
        <span className="min-w-0 font-medium">
          <FileName name={name} address={address} />
        </span>
        <span className="shrink-0 text-dim">{sizeText(size)}</span>
      </div>
    </div>
  );
}

/** What was sent for one call; undefined before that. */
function shownResult(results: readonly ClientResult[], id: string): Json | undefined {
  const found = results.find(({ tool_call_id }) => tool_call_id === id);
  return found?.error ?? found?.content;
}

/** What an agent asked this page to do; it answers by itself. */
function ClientTools({ item }: { item: QuestionItem }) {
  const isOpen = item.outcome === null;
  const error = isOpen || item.outcome === 'answered' ? null : 'no result was sent';
  const results = resultsIn(item.answer?.values ?? {});
  return callsIn(item.request).map(({ tool_call_id: id, name, parameters }) => (
    <div key={id} className="ml-10">
      <ToolCard
        item={{
          kind: 'tool',
          id,
          turnId: item.turnId,
          name,
          parameters,
          result: shownResult(results, id),
          error,
          isOpen,
          ui: null,
          at: item.at,
        }}
      />
    </div>
  ));
}

interface MessageItemProps {
  item: ChatItem;
  answer: Answer;
  /** Its turn is in the queue. */
  isWaiting: boolean;
}

/** One thing in the chat. Drawn again only when it changed: a stream changes the last one, many times a second. */
export const MessageItem = memo(function MessageItem({ item, answer, isWaiting }: MessageItemProps) {
  switch (item.kind) {
    case 'user':
      return <User item={item} isWaiting={isWaiting} />;
    case 'agent':
      return <Agent item={item} />;
    case 'tool':
      return (
        <div className="ml-10 grid gap-2">
          <ToolCard item={item} />
          {item.ui !== null && <UiCard ui={item.ui} />}
        </div>
      );
    case 'file':
      return <File item={item} />;
    case 'notice':
      return <Notice item={item} />;
    case 'question':
      if (item.purpose === 'client_tool') return <ClientTools item={item} />;
      return (
        <div className="ml-10">
          <QuestionCard item={item} answer={answer} />
        </div>
      );
    case 'handover':
      return (
        <div className="ml-10">
          <HandoverCard item={item} answer={answer} />
        </div>
      );
    default:
      return item satisfies never;
  }
});
