import { AccessKey } from '@rostra/protocol/config/entry-config';
import type { Attachment } from '@rostra/protocol/run-api/attachment';
import { expect } from 'vitest';
import { png } from '../attachments/sample-images.ts';
import { TestHost } from './test-host.ts';

export const PATH = '/api/v1/agent/attachments';
export const picture = png(640, 480);

export function keyOf(user: string): AccessKey {
  return AccessKey.parse({ name: user, key: `key-of-${user}-0123456789`, scopes: ['runs'], user });
}

export const ann = keyOf('ann').key;
export const bob = keyOf('bob').key;

interface Sent {
  type?: string;
  filename?: string;
  key?: string;
}

/** A host with two users who upload files. */
export class UploadScene {
  host!: TestHost;

  async start(): Promise<TestHost> {
    this.host = await TestHost.start({}, {}, [keyOf('ann'), keyOf('bob')]);
    return this.host;
  }

  stop(): Promise<void> {
    return this.host.stop();
  }

  get address(): string {
    return `http://127.0.0.1:${this.host.port}`;
  }

  readonly send = (
    bytes: Buffer,
    { type = 'image/png', filename = 'a.png', key = ann }: Sent = {},
  ): Promise<Response> => {
    const body = new FormData();
    body.append('file', new Blob([new Uint8Array(bytes)], { type }), filename);
    return fetch(`${this.address}${PATH}`, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body });
  };

  readonly uploaded = async (bytes = picture, more: Sent = {}): Promise<Attachment> => {
    const answer = await this.send(bytes, more);
    expect(answer.status).toBe(201);
    return (await answer.json()) as Attachment;
  };
}
