import { dispatchedTurn, own } from './context.ts';
import type { Draft } from './draft.ts';
import { continueClose } from './transactions/close.ts';
import { continueHandover } from './transactions/handover.ts';
import { continueRemovals } from './transactions/remove.ts';
import { dispatch } from './turn.ts';

/** What a change makes possible: transactions that waited for a turn to end, then the next turn in the queue. */
export function proceed(d: Draft): void {
  continueRemovals(d);
  continueClose(d);
  continueHandover(d);
  while (d.context.state === 'OPEN' && dispatchedTurn(d.context) === null) {
    const next = own(d.context.inflight, d.context.queue[0]);
    if (next === undefined) return;
    dispatch(d, next);
  }
}
