import { expect, it } from 'vitest';
import { Attachments } from '../../src/attachments/attachments.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { commit, SessionUnits } from '../store/session-units.ts';
import { databasePath, workerUrl } from '../store/sqlite/sqlite-folder.ts';
import { png } from './sample-images.ts';

const ann = { workspace_id: 'w', user_id: 'ann' };
const origin = 'http://127.0.0.1:1';

async function* bytes() {
  yield png(4, 4);
}

it('a file is gone with its session from the moment that is deleted, although its row is still there', async () => {
  const store = await SqliteStore.open({ path: await databasePath(), workerUrl });
  const attachments = new Attachments({
    artifacts: store.artifacts,
    sessions: store,
    clock: { now: () => 1_000_000 },
    newId: () => 'file-1',
    secret: 'a secret of the host',
    public_url: null,
    address: () => origin,
  });
  const headers = { name: 'f', filename: 'a.png', content_type: null };
  const { id, url } = await attachments.upload(ann, { headers, content: bytes() }, origin);
  await attachments.resolve(ann, url, 's');
  await commit(store, new SessionUnits('s').next());
  const read = () => attachments.open(new URL(url), 'GET', origin);
  expect(await read()).toMatchObject({ artifact_id: id, session_id: 's' });
  await store.sessions.remove('s', { at: 1, why: 'user:ann' });
  expect(await store.artifacts.get(id, 1)).not.toBeNull();
  expect([await read(), await attachments.check(ann, url)]).toEqual([null, null]);
  await store.close();
});
