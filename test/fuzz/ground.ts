import { randomUUID } from 'node:crypto';
import { Attachment } from '@rostra/protocol/run-api/attachment';
import type { HostProcess } from '../e2e/host-process.ts';
import type { Ground } from './target.ts';

/** One pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function upload({ url, key }: HostProcess): Promise<string> {
  const body = new FormData();
  body.append('file', new Blob([png], { type: 'image/png' }), 'pixel.png');
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/api/v1/agent/attachments`, { method: 'POST', headers, body });
  const answer = Attachment.parse(await response.json());
  const signed = new URL(answer.url);
  return `${signed.pathname}${signed.search}`;
}

async function question(host: HostProcess, threadId: string): Promise<string> {
  await host.accept('/ask', { threadId });
  for (;;) {
    const { body } = await host.request('GET', '/api/v1/interactions?status=pending');
    const [item] = Array.isArray(body.items) ? body.items : [];
    if (item !== undefined) return String(item.id);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A host with a finished run, a question that waits and an upload. */
export async function prepare(host: HostProcess): Promise<Ground> {
  const threadId = randomUUID();
  const taskId = await host.accept('/stream 20', { threadId });
  const frames = await host.events(taskId);
  const eventId = frames.at(-1)?.id ?? '1.0.1';
  const interactionId = await question(host, randomUUID());
  const { url, key } = host;
  return { url, key, threadId, taskId, eventId, interactionId, attachment: await upload(host) };
}
