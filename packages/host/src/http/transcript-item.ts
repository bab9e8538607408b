import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import { withSignedImages } from '@rostra/kernel/ui/attached-images';
import { inert } from '@rostra/kernel/ui/inert';
import type { HistoryMessage, TranscriptEntry } from '@rostra/protocol/run-api/history';
import { UiSchemaRenderer } from '@rostra/protocol/run-api/ui-schema';
import type { Json } from '@rostra/protocol/wire/json';
import type { AmendedRow } from '../projection/amended-rows.ts';
import { timeText } from '../projection/session-view.ts';
import type { ShownMessage } from '../store/ports/transcript.ts';

/** What a reader of messages is given beside their words. */
export interface ReaderMeans {
  /** A url of a file of the session for this reader, made for now. */
  url(artifact_id: string): string;
  /** Questions that still wait: what leads to an answer of theirs works. */
  readonly open: ReadonlySet<string>;
}

/** What was compiled when it was said; what an earlier host kept raw is left out. */
function uiOf(
  { ui_schema }: Pick<TranscriptRow, 'ui_schema'>,
  { open, url }: ReaderMeans,
  isLast = false,
): UiSchemaRenderer | null {
  if (ui_schema === null) return null;
  const { success, data } = UiSchemaRenderer.safeParse(ui_schema);
  return success ? withSignedImages(inert(data, { open, isLast }), url) : null;
}

/** Null of what was taken back. Written out: a day has thousands, and copying the fields they share costs the most. */
export function historyMessage(message: ShownMessage, seq: number, means: ReaderMeans): HistoryMessage | null {
  const { item_id: id, role, content, created_at, attachments } = message;
  if (content === null) return null;
  const timestamp = timeText(created_at);
  if (role === 'user') {
    const [first] = attachments;
    return { id, seq, content, timestamp, role, url: first === undefined ? null : means.url(first.artifact_id) };
  }
  return { id, seq, content, timestamp, role: role === 'tool' ? role : 'assistant', uiSchema: uiOf(message, means) };
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
    toolName: typeof row.metadata.tool_name === 'string' ? row.metadata.tool_name : null,
    status: statusOf(row.metadata.status),
    isEdited,
    timestamp: timeText(row.created_at),
  };
}
