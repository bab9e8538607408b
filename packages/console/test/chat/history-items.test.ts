import type { TranscriptEntry } from '@rostra/protocol/run-api/history';
import { expect, it } from 'vitest';
import { historyItem } from '../../src/chat/history-items.ts';

const result: TranscriptEntry = {
  id: 't1.c1',
  seq: 7,
  role: 'tool',
  type: 'tool_result',
  agentId: 'guide',
  userId: null,
  taskId: 't1',
  runId: 't1.1',
  content: 'twelve',
  parts: null,
  attachments: [],
  uiSchema: null,
  toolName: 'clock',
  status: 'complete',
  isEdited: false,
  timestamp: '2026-01-01T00:00:00.000Z',
};

it('a result of the past says which tool gave it', () => {
  expect(historyItem(result)).toMatchObject({ name: 'clock', result: 'twelve', error: null });
});

it('a tool that failed in the past is shown as failed', () => {
  const failed = historyItem({ ...result, status: 'failed', content: 'no clock' });
  expect(failed).toMatchObject({ name: 'clock', result: null, error: 'no clock' });
});
