import { ArrowRight } from 'lucide-react';
import { useEffect, useState } from 'react';
import { AgentMark } from '../look/agent-mark.tsx';
import { Button } from '../look/button.tsx';
import { useAttempt } from '../use-attempt.ts';
import type { HandoverItem } from './chat-state.ts';
import { OutcomeLine } from './outcome-line.tsx';
import type { Answer } from './question-card.tsx';

const outcomes: Readonly<Record<string, string>> = {
  confirmed: 'Handed over.',
  rejected: 'You kept the agent.',
  timeout: 'Nobody answered in time.',
  aborted: 'The handover was called off.',
};

/** One agent asks to hand the conversation over to another; only a person can say yes. */
export function HandoverCard({ item, answer }: { item: HandoverItem; answer: Answer }) {
  const { isBusy, fault, attempt, forgive } = useAttempt();
  const [isMine, setMine] = useState(false);
  const isOpen = item.outcome === null;
  // Why an answer was refused matters no more once none is asked for.
  useEffect(() => {
    if (!isOpen) forgive();
  }, [isOpen, forgive]);
  const send = (actionId: 'confirm' | 'reject') => {
    setMine(true);
    return attempt(answer(item.id, actionId, {}));
  };
  return (
    <section
      aria-label={`${item.from} wants to hand over to ${item.to}`}
      className="rounded-xl border border-line bg-raised p-4 shadow-xs"
      data-testid="handover"
    >
      <div className="flex flex-wrap items-center gap-2 font-medium">
        <AgentMark name={item.from} /> {item.from}
        <ArrowRight aria-hidden className="size-4 text-dim" />
        <AgentMark name={item.to} /> {item.to}
      </div>
      <p className="mt-2 text-sm text-dim">
        {item.from} would like {item.to} to go on{item.reason === '' ? '.' : ':'}
      </p>
      {item.reason !== '' && <p className="mt-1 text-sm break-words whitespace-pre-wrap">{item.reason}</p>}
      {item.summary !== '' && (
        <details className="mt-2 text-sm">
          <summary className="cursor-pointer text-dim">What {item.to} will be told</summary>
          <p className="mt-1 break-words whitespace-pre-wrap">{item.summary}</p>
        </details>
      )}
      {item.outcome === null ? (
        <div className="mt-3 flex flex-wrap gap-2">
          <Button tone="primary" disabled={isBusy} onClick={() => send('confirm')}>
            Hand over to {item.to}
          </Button>
          <Button disabled={isBusy} onClick={() => send('reject')}>
            Stay with {item.from}
          </Button>
        </div>
      ) : (
        <OutcomeLine isMine={isMine}>{outcomes[item.outcome] ?? item.outcome}</OutcomeLine>
      )}
      {fault !== null && <p className="mt-2 text-sm text-bad">{fault}</p>}
    </section>
  );
}
