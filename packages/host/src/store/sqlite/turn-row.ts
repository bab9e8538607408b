import type { TaskStatus } from '@rostra/protocol/run-api/task';
import type { OwnedTurn, TurnRow } from '../port.ts';
import type { SqlRow, SqlValue } from './driver.ts';

/** The columns that an update may change, in the order of `turnValues`. */
export const turnColumns = [
  'client_run_id',
  'payload_hash',
  'agent_id',
  'status',
  'created_at',
  'ended_at',
  'code',
  'message',
  'retryable',
] as const;

export function turnValues(turn: TurnRow): SqlValue[] {
  return turnColumns.map((column) => {
    const value = turn[column];
    return typeof value === 'boolean' ? Number(value) : value;
  });
}

function selectColumns(columns: string, from: string): string {
  return `SELECT turn.*, session.id AS session_id${columns} FROM ${from} JOIN session ON session.key = turn.session`;
}

/** Rows for `decodeTurn`. */
export function selectTurn(from: string): string {
  return selectColumns('', from);
}

/** Rows for `decodeOwnedTurn`. */
export const selectOwnedTurn = selectColumns(', workspace_id, owner_id', 'turn');

export function decodeOwnedTurn(row: SqlRow): OwnedTurn {
  return { ...decodeTurn(row), workspace_id: row.workspace_id as string, owner_id: row.owner_id as string };
}

export function decodeTurn(row: SqlRow): TurnRow {
  return {
    turn_id: row.turn_id as string,
    session_id: row.session_id as string,
    message_id: row.message_id as string,
    client_run_id: row.client_run_id as string | null,
    payload_hash: row.payload_hash as string | null,
    agent_id: row.agent_id as string,
    status: row.status as TaskStatus,
    created_at: row.created_at as number,
    ended_at: row.ended_at as number | null,
    first_seq: row.first_seq as number,
    code: row.code as string | null,
    message: row.message as string | null,
    retryable: row.retryable === 1,
  };
}
