import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import { withSignedImages } from '@rostra/kernel/ui/attached-images';
import { inert } from '@rostra/kernel/ui/inert';
import type { HistoryMessage, TranscriptEntry } from '@rostra/protocol/run-api/history';
import { UiSchemaRenderer } from '@rostra/protocol/run-api/ui-schema';
import type { Json } from '@rostra/protocol/wire/json';
import type { AmendedRow } from '../projection/amended-rows.ts';
import { timeText } from '../projection/session-view.ts';

/** What a reader of messages is given beside their words. */
export interface ReaderMeans {
  /** A url of a file of the session for this reader, made for now. */
  url(artifact_id: string): string;
  /** Questions that still wait: what leads to an answer of theirs works. */
  readonly open: ReadonlySet<string>;
}

/** What was compiled when it was said; what an earlier host kept raw is left out. */
function uiOf({ ui_schema }: TranscriptRow, { open, url }: ReaderMeans, isLast = false): UiSchemaRenderer | null {
  if (ui_schema === null) return null;
  const { success, data } = UiSchemaRenderer.safeParse(ui_schema);
  return success ? withSignedImages(inert(data, { open, isLast }), url) : null;
}

export function historyMessage(row: TranscriptRow, seq: number, means: ReaderMeans): HistoryMessage {
  const said = { id: row.item_id, seq, content: row.content, timestamp: timeText(row.created_at) };
  if (row.role === 'user') {
    const [first] = row.attachments;
    return { ...said, role: 'user', url: first === undefined ? null : means.url(first.artifact_id) };
  }
  return { ...said, role: row.role === 'tool' ? 'tool' : 'assistant', uiSchema: uiOf(row, means) };
}

function idOf(actor: TranscriptRow['actor'], type: string): string | null {
  return actor?.type === type && typeof actor.id === 'string' ? actor.id : null;
}

function statusOf(status: Json | undefined): TranscriptEntry['status'] {
  return status === 'cancelled' || status === 'failed' ? status : 'complete';
}

/** `isLast`: nothing was said after it. */
export function transcriptItem({ row, isEdited }: AmendedRow, means: ReaderMeans, isLast: boolean): TranscriptEntry {
  return {
    id: row.item_id,
    seq: row.seq,
    role: row.role,
    type: row.item_type,
    agentId: idOf(row.actor, 'agent'),
    userId: idOf(row.actor, 'user'),
    taskId: row.turn_id,
    runId: row.run_id,
    content: row.content,
    parts: row.content_json,
    attachments: row.attachments.map(({ artifact_id, name, mime_type, size_bytes }) => ({
      id: artifact_id,
      filename: name,
      mimeType: mime_type,
      size: size_bytes,
      url: means.url(artifact_id),
    })),
    uiSchema: uiOf(row, means, isLast),
    status: statusOf(row.metadata.status),
    isEdited,
    timestamp: timeText(row.created_at),
  };
}
