import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HostProcess } from './host-process.ts';

const host = new HostProcess();
beforeAll(() => host.start());
afterAll(() => host.dispose());

const PATH = '/api/v1/agent/attachments';
/** One grey pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
);

async function upload(bytes: Buffer, filename: string, type: string) {
  const body = new FormData();
  body.append('file', new Blob([new Uint8Array(bytes)], { type }), filename);
  const headers = { authorization: `Bearer ${host.key}` };
  const answer = await fetch(`${host.url}${PATH}`, { method: 'POST', headers, body });
  expect(answer.status).toBe(201);
  return (await answer.json()) as { id: string; url: string };
}

const bytesOf = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

test('an uploaded image reaches the agent byte for byte, and history shows it by a fresh url, also after a restart', async () => {
  const threadId = randomUUID();
  const { url } = await upload(picture, 'grey.png', 'image/png');
  const accepted = await host.run(
    [
      { type: 'text', text: '/image' },
      { type: 'binary', mimeType: 'image/png', url, filename: 'grey.png' },
    ],
    { threadId },
  );
  expect(accepted.status).toBe(202);
  const frames = await host.events(String(accepted.body.taskId));
  const said = frames.map(({ event }) => event.delta ?? '').join('');
  const hash = createHash('sha256').update(picture).digest('hex');
  expect(said).toBe(`I received grey.png: image/png, ${picture.length} bytes, SHA-256 ${hash}. `);

  const shown = async () => {
    const { body } = await host.request('GET', `/api/v1/agent/history?threadId=${threadId}`);
    const [user, assistant] = body.messages as { role: string; content: string; url?: string }[];
    expect([user?.role, user?.content, assistant?.content]).toEqual(['user', '/image', said]);
    return user?.url ?? '';
  };
  expect((await bytesOf(await shown())).equals(picture)).toBe(true);
  await host.signal('SIGTERM');
  await host.start({ ROSTRA_PORT: new URL(host.url).port });
  expect((await bytesOf(await shown())).equals(picture)).toBe(true);
  // What was signed before the restart is good for the rest of its time.
  expect((await bytesOf(url)).equals(picture)).toBe(true);
});

test('a card is compiled once: live as an activity, in history beside its message, where its buttons rest', async () => {
  const threadId = randomUUID();
  const taskId = await host.accept('/ui', { threadId });
  const frames = await host.events(taskId);
  const cards = frames.map(({ event }) => event).filter(({ type }) => type === 'ACTIVITY_SNAPSHOT');
  expect(cards).toMatchObject([
    {
      messageId: expect.stringMatching(/^ui:/),
      activityType: 'ui-schema',
      content: { version: '2.0', status: 'success', root: { type: 'stack', appearance: 'card' } },
    },
  ]);
  const { body } = await host.request('GET', `/api/v1/agent/history?threadId=${threadId}`);
  const [, answer] = body.messages as { id: string; uiSchema: object }[];
  expect(cards[0]?.messageId).toBe(`ui:${answer?.id}`);
  expect(answer?.uiSchema).toMatchObject({
    version: '2.0',
    locale: 'en-US',
    root: {
      children: [
        { type: 'text', role: 'title' },
        { type: 'badge' },
        { type: 'text' },
        { type: 'kv' },
        { children: [{ disabled: true }, { action: { type: 'open_url' } }, { disabled: true }] },
        { type: 'form', disabled: true },
      ],
    },
  });
});

test('what a tool gave is a message of history, under the id that clients know', async () => {
  const threadId = randomUUID();
  const taskId = await host.accept('/tool dice', { threadId });
  const frames = await host.events(taskId);
  const result = frames.map(({ event }) => event).find(({ type }) => type === 'TOOL_CALL_RESULT');
  const { body } = await host.request('GET', `/api/v1/agent/history?threadId=${threadId}`);
  const messages = body.messages as { id: string; role: string; content: string }[];
  expect(messages.map(({ role }) => role)).toEqual(['user', 'tool', 'assistant']);
  expect(messages[1]).toMatchObject({ id: result?.messageId, content: result?.content, uiSchema: null });
});

test('a file that an agent made can be read by a url that its session’s owner asks for', async () => {
  const frames = await host.events(await host.accept('/artifact 300'));
  const file = frames.find(({ event }) => event.activityType === 'artifact')?.event.content as { artifact_id: string };
  const { status, body } = await host.request('POST', `${PATH}/${file.artifact_id}/url`);
  expect([status, body]).toMatchObject([
    200,
    { mimeType: 'text/plain', filename: 'demo-300-kib.txt', size: 300 * 1024 },
  ]);
  expect((await bytesOf(String(body.url))).toString()).toMatch(
    /^00000001 A line of a file that the demo of Rostra made/,
  );
});
