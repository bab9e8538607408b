import { ArrowDown } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { AgentMark } from '../look/agent-mark.tsx';
import { Button } from '../look/button.tsx';
import type { ChatItem, ChatTurn } from './chat-state.ts';
import { MessageItem } from './message-item.tsx';
import type { Answer } from './question-card.tsx';

/** How near the end a reader must be to be taken along. */
const NEAR = 80;

interface MessageListProps {
  items: readonly ChatItem[];
  turns: readonly ChatTurn[];
  answer: Answer;
  /** How often something was sent from here: whoever writes wants to see what comes of it. */
  sent: number;
  /** Asked when the reader is at the beginning; null when there is nothing before. */
  loadEarlier: (() => void) | null;
}

/** The conversation. Whoever reads the end stays at the end; whoever has scrolled up is left in peace. */
export function MessageList({ items, turns, answer, sent, loadEarlier }: MessageListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  /** As it was last laid out, and where it was read. */
  const laid = useRef({ height: 0, top: 0 });
  const first = items[0]?.id;
  const firstBefore = useRef(first);

  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && items.length > 0 && isAtEnd) element.scrollTop = element.scrollHeight;
  }, [items, isAtEnd]);

  // What is put before must not move what is being read.
  useLayoutEffect(() => {
    const element = box.current;
    if (first === firstBefore.current) return;
    firstBefore.current = first;
    if (element !== null && !isAtEnd) element.scrollTop = laid.current.top + element.scrollHeight - laid.current.height;
  }, [first, isAtEnd]);

  useEffect(() => {
    if (sent > 0) setAtEnd(true);
  }, [sent]);

  // A picture or a card that unfolds makes the end move, too, and so does a bar or a keyboard that takes of the room.
  useEffect(() => {
    const element = box.current;
    const inner = element?.firstElementChild;
    if (element === null || !inner) return;
    const watch = new ResizeObserver(() => {
      if (isAtEnd) element.scrollTop = element.scrollHeight;
      laid.current.height = element.scrollHeight;
    });
    watch.observe(inner);
    watch.observe(element);
    return () => watch.disconnect();
  }, [isAtEnd]);

  const onScroll = () => {
    const element = box.current;
    if (element === null) return;
    const left = element.scrollHeight - element.scrollTop - element.clientHeight;
    const isUpward = element.scrollTop < laid.current.top;
    laid.current.top = element.scrollTop;
    // A short way up is a way up, too: what arrives next must not undo it.
    setAtEnd(left < (isUpward ? 1 : NEAR));
  };
  return (
    <div className="relative min-h-0 flex-1">
      <div ref={box} onScroll={onScroll} className="h-full overflow-y-auto overscroll-contain">
        <div className="mx-auto flex max-w-3xl flex-col gap-5 px-4 py-6" role="log" aria-live="polite">
          {loadEarlier !== null && (
            <Button tone="quiet" size="small" className="self-center" onClick={loadEarlier}>
              Earlier messages
            </Button>
          )}
          {items.map((item) => (
            <MessageItem
              key={`${item.kind}.${item.id}`}
              item={item}
              answer={answer}
              isWaiting={
                item.kind === 'user' && turns.some(({ id, state }) => id === item.turnId && state === 'queued')
              }
            />
          ))}
          <Working items={items} turns={turns} />
        </div>
      </div>
      {!isAtEnd && (
        <Button
          size="icon"
          aria-label="To the end"
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-md"
          onClick={() => setAtEnd(true)}
        >
          <ArrowDown aria-hidden className="size-4" />
        </Button>
      )}
    </div>
  );
}

/** An agent is at it and has nothing to show yet. */
function Working({ items, turns }: Pick<MessageListProps, 'items' | 'turns'>) {
  const turn = turns.find(({ state }) => state === 'running');
  const last = items.at(-1);
  const isOfTurn = last !== undefined && 'turnId' in last && last.turnId === turn?.id;
  // A question that was answered is nothing that the agent shows.
  const isSeen = isOfTurn && last.kind !== 'user' && last.kind !== 'question';
  // It waits for an answer, or its words grow further up.
  const isElsewhere = items.some(
    (item) =>
      (item.kind === 'question' && item.turnId === turn?.id && item.outcome === null) ||
      (item.kind === 'agent' && item.turnId === turn?.id && item.isOpen),
  );
  if (turn === undefined || isSeen || isElsewhere || last?.kind === 'handover') return null;
  return (
    <div className="flex items-center gap-3 text-[13px] text-dim" role="status" data-testid="working">
      <AgentMark name={turn.agentId} /> {turn.agentId} is working
      <span className="caret" />
    </div>
  );
}
