import { textOf } from '@rostra/kernel/agui/projected-parts';
import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import type { AguiSnapshotMessage, AguiSnapshotPart } from '@rostra/protocol/run-api/agui-event';
import { type ArtifactRef, ContentElement } from '@rostra/protocol/session/input';
import { limits } from '@rostra/protocol/wire/limits';
import type { TranscriptStore } from '../store/ports/transcript.ts';

/** What a snapshot is made with. */
interface SnapshotMeans {
  /** Turns that are told by their own events: only what was asked of them is given here. */
  readonly live: readonly string[];
  /** A url of a file of the session for the reader, made for now. */
  url(artifact_id: string): string;
}

type Url = SnapshotMeans['url'];

/** A `source` stands where clients of 0.0.59 and of 1.0 both read it; 1.0 has no `binary` any more. */
function mediumOf(
  type: 'image' | 'audio' | 'document',
  { artifact_id, mime_type: mimeType, name }: ArtifactRef,
  url: Url,
): AguiSnapshotPart {
  const source = { type: 'url' as const, value: url(artifact_id), mimeType };
  return { type, source, ...(name !== null && name !== '' && { metadata: { filename: name } }) };
}

function partOf(element: ContentElement, url: Url): AguiSnapshotPart[] {
  switch (element.type) {
    case 'text':
      return [element];
    case 'image':
      if (element.artifact !== undefined) return [mediumOf('image', element.artifact, url)];
      return element.url === undefined ? [] : [{ type: 'image', source: { type: 'url', value: element.url } }];
    case 'audio':
      return [mediumOf('audio', element.artifact, url)];
    case 'file':
      return [mediumOf('document', element.artifact, url)];
  }
}

/** What a person said, in the words and parts by which it is known when their client sends it back. */
function contentOf({ content, content_json }: TranscriptRow, url: Url): string | AguiSnapshotPart[] {
  const { data } = ContentElement.array().safeParse(content_json);
  if (data === undefined) return content;
  const parts = data.flatMap((element) => partOf(element, url));
  if (textOf(parts) === content) return parts;
  // An event may bring words beside its parts.
  const words: AguiSnapshotPart[] = content === '' ? [] : [{ type: 'text', text: content }];
  return [...words, ...parts.filter(({ type }) => type !== 'text')];
}

/** How often each name of these messages is given: clients of the strict profile name several messages alike. */
function namesIn(rows: readonly TranscriptRow[]): Map<string, number> {
  const names = new Map<string, number>();
  for (const { item_id, client_id } of rows) {
    for (const name of client_id === null ? [item_id] : [item_id, client_id]) {
      names.set(name, (names.get(name) ?? 0) + 1);
    }
  }
  return names;
}

function messagesOf(rows: readonly TranscriptRow[], url: Url): AguiSnapshotMessage[] {
  const names = namesIn(rows);
  return rows.map((row) => {
    const { item_id, client_id, role, content, actor } = row;
    if (role === 'user') {
      // By the client's own name where that means this message alone; it is known by both.
      const id = client_id !== null && names.get(client_id) === 1 ? client_id : item_id;
      return { id, role, content: contentOf(row, url) };
    }
    const name = typeof actor?.id === 'string' ? { name: actor.id } : {};
    return { id: item_id, role: 'assistant', content, ...name };
  });
}

/** The end of a thread, oldest first. */
export async function threadSnapshot(
  transcript: Pick<TranscriptStore, 'page'>,
  session_id: string,
  { live, url }: SnapshotMeans,
): Promise<AguiSnapshotMessage[]> {
  let rows: TranscriptRow[] = [];
  let bytes = 0;
  const where = { roles: ['user', 'assistant'], item_types: ['message'] };
  for (;;) {
    const [oldest] = rows;
    const before = oldest === undefined ? {} : { before: oldest.seq };
    const page = await transcript.page(session_id, { limit: limits.page_items, where, ...before });
    rows = [...page.rows, ...rows];
    bytes += page.rows.reduce((sum, { content }) => sum + content.length, 0);
    if (!page.has_more || rows.length >= limits.snapshot_messages || bytes >= limits.snapshot_bytes) break;
  }
  const told = rows.filter(({ turn_id, role }) => role === 'user' || turn_id === null || !live.includes(turn_id));
  return messagesOf(told, url);
}
