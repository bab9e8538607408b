import { isSame } from '@rostra/kernel/agui/projection';
import { namesOf } from '@rostra/kernel/projection/said-message';
import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import { AguiMessage } from '@rostra/protocol/run-api/agui-input';
import type { ArtifactRef, ContentElement } from '@rostra/protocol/session/input';
import { describe, expect, it } from 'vitest';
import { threadSnapshot } from '../../src/http/thread-snapshot.ts';

const file = (artifact_id: string, mime_type: string): ArtifactRef => {
  return { artifact_id, name: null, mime_type, size_bytes: 1, sha256: null };
};
const dot = file('dot', 'image/png');

function said(
  seq: number,
  content: string,
  contents: ContentElement[] | null = null,
  more: Partial<TranscriptRow> = {},
) {
  const row: TranscriptRow = {
    session_id: 's',
    seq,
    item_id: `t${seq}`,
    thread_id: null,
    bot_id: null,
    actor_id: null,
    turn_id: `t${seq}`,
    run_id: null,
    event_id: null,
    event_type: 'message.received',
    role: 'user',
    item_type: 'message',
    actor: null,
    content,
    content_json: JSON.parse(JSON.stringify(contents)),
    attachments: [],
    ui_schema: null,
    created_at: 0,
    metadata: {},
    client_id: `u${seq}`,
    supersedes: null,
    ...more,
  };
  return row;
}

function snapshot(rows: TranscriptRow[], live: string[] = []) {
  const transcript = { page: async () => ({ rows, has_more: false }) };
  return threadSnapshot(transcript, 's', { live, url: (id) => `https://host/files/${id}?signed` });
}

describe('a thread that is given back', () => {
  it.each<[string, string, ContentElement[] | null]>([
    ['words', 'hello', null],
    [
      'words in several parts',
      'one\ntwo',
      [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
    ],
    [
      'an image with words',
      'look',
      [
        { type: 'text', text: 'look' },
        { type: 'image', artifact: dot },
      ],
    ],
    ['an image alone', '', [{ type: 'image', artifact: dot }]],
    ['an image elsewhere', '', [{ type: 'image', url: 'https://example.org/dot.png' }]],
    ['words beside parts', 'look', [{ type: 'image', artifact: dot }]],
    [
      'other files',
      'read',
      [
        { type: 'text', text: 'read' },
        { type: 'file', artifact: file('f', 'text/plain') },
      ],
    ],
    ['a voice', '', [{ type: 'audio', artifact: file('a', 'audio/ogg') }]],
  ])('has %s such that it is known when it is sent back', async (_what, content, contents) => {
    const row = said(1, content, contents);
    const [message] = await snapshot([row]);
    const echo = AguiMessage.parse(message);
    const known = namesOf(row).find(({ id }) => id === echo.id);
    expect(echo.role === 'user' && known !== undefined && isSame(echo, known)).toBe(true);
  });

  it('calls messages as their clients did, but for names that several have', async () => {
    const shared = { client_id: 'msg-1' };
    const answer = said(4, 'answer', null, { role: 'assistant', client_id: null });
    const rows = [said(1, 'a', null, shared), said(2, 'b'), said(3, 'c', null, shared), answer];
    expect((await snapshot(rows)).map(({ id }) => id)).toEqual(['t1', 'u2', 't3', 't4']);
    const stolen = [
      said(1, 'a', null, { client_id: 't2' }),
      said(2, 'b', null, { role: 'assistant', client_id: null }),
    ];
    expect((await snapshot(stolen)).map(({ id }) => id)).toEqual(['t1', 't2']);
  });

  it('has what was asked of turns that go on, but not what they say: their events tell that', async () => {
    const answer = said(2, 'half', null, { role: 'assistant', client_id: null, turn_id: 't1' });
    expect((await snapshot([said(1, 'ask'), answer], ['t1'])).map(({ content }) => content)).toEqual(['ask']);
  });
});
