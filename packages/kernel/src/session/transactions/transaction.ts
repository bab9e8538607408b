import { limits } from '@rostra/protocol/wire/limits';
import { own, type Transaction } from '../context.ts';
import type { Draft } from '../draft.ts';

type Opening = Pick<Transaction, 'kind' | 'until' | 'requested_by'> & Partial<Transaction>;

/** Registers a choreography. Its id is that of the message which began it, and its kind: unique, and no secret. */
export function openTx(d: Draft, opening: Opening): Transaction {
  const tx: Transaction = {
    tx_id: `${d.cause.id}:${opening.kind}:${d.context.gen + 1}`,
    step: 'REQUESTED',
    gen: d.nextGen(),
    ref: d.cause.id,
    agent_id: null,
    turn_id: null,
    attempt: 1,
    reason: '',
    activate: false,
    handover: null,
    agents: null,
    ...opening,
  };
  d.setTx(tx);
  return tx;
}

/** Refuses when the session already juggles as many transactions as it may; a cancel always finds room. */
export function hasRoom(d: Draft): boolean {
  const pending = Object.values(d.context.transactions).filter((tx) => tx.kind !== 'CANCEL').length;
  if (pending < limits.transactions - 1) return true;
  d.refuse({
    reason: 'TOO_MANY_TRANSACTIONS',
    code: 'rate_limited',
    message: 'this session is busy with other changes',
    retryable: true,
    hint: 'Wait until the pending changes are done.',
  });
  return false;
}

/** The same request again while the first is pending: it shares the first one's outcome (SR-INV-X4). */
export function joinTx(d: Draft, tx: Transaction, change: Partial<Transaction> = {}): void {
  d.setTx({ ...tx, ...change });
}

/** The pending transaction that a receipt answers, by id and kind (SR-INV-X1). */
export function txOf(d: Draft, kind: Transaction['kind']): Transaction | null {
  const tx = own(d.context.transactions, d.cause.tx_id);
  return tx?.kind === kind ? tx : null;
}
