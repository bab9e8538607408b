import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HostConfig } from '@rostra/protocol/config/host-config';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { modelRegistry } from '../../src/config/model-registry.ts';
import { SecretBox } from '../../src/config/secret-box.ts';
import { secretKeyPath, secretKeys } from '../../src/main/secret-key.ts';
import { backUp } from '../../src/store/sqlite/back-up.ts';
import { restore } from '../../src/store/sqlite/restore.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { databasePath, workerUrl } from '../store/sqlite/sqlite-folder.ts';

let data: string;
beforeEach(() => {
  data = mkdtempSync(path.join(tmpdir(), 'rostra-secret-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

describe('the key of secrets', () => {
  it('is made with the first secret, for its owner only, and is the same from then on', () => {
    expect(secretKeys(data, {}).read()).toBeNull();
    expect(existsSync(secretKeyPath(data))).toBe(false);
    const key = secretKeys(data, {}).ensure();
    expect(key).toHaveLength(32);
    expect(statSync(secretKeyPath(data)).mode & 0o777).toBe(0o600);
    expect(readdirSync(data)).toEqual(['secret.key']);
    expect(secretKeys(data, {}).read()).toEqual(key);
    expect(secretKeys(data, {}).ensure()).toEqual(key);
  });

  it('is closed to others when it is found open', () => {
    const key = secretKeys(data, {}).ensure();
    chmodSync(secretKeyPath(data), 0o644);
    expect(secretKeys(data, {}).read()).toEqual(key);
    expect(statSync(secretKeyPath(data)).mode & 0o777).toBe(0o600);
  });

  it('of the variable wins, and no file is made', () => {
    const keys = secretKeys(data, { ROSTRA_SECRET_KEY: 'AB'.repeat(32) });
    expect(Buffer.from(keys.ensure()).toString('hex')).toBe('ab'.repeat(32));
    expect([keys.where, readdirSync(data)]).toEqual(['ROSTRA_SECRET_KEY', []]);
    for (const wrong of ['ab', 'xy'.repeat(32), 'ab'.repeat(33)]) {
      expect(() => secretKeys(data, { ROSTRA_SECRET_KEY: wrong })).toThrow('must be 64 hexadecimal digits');
    }
  });

  it('is never replaced: a file that holds none is left as it is, and told', () => {
    writeFileSync(secretKeyPath(data), 'no key');
    for (const act of [() => secretKeys(data, {}).read(), () => secretKeys(data, {}).ensure()]) {
      expect(act).toThrow(expect.objectContaining({ details: expect.objectContaining({ reason: 'SECRETS_LOCKED' }) }));
    }
    expect(readFileSync(secretKeyPath(data), 'utf8')).toBe('no key');
    rmSync(secretKeyPath(data));
    mkdirSync(secretKeyPath(data));
    expect(() => secretKeys(data, {}).read()).toThrow('cannot be read (EISDIR)');
  });
});

describe('a backup', () => {
  it('has sealed secrets and not the key: they open where secret.key is put back, and stay locked elsewhere', async () => {
    const file = await databasePath();
    const folder = path.dirname(file);
    const config = { provider: 'openai', model: 'm', api_key: 'sk-canary-77ab12cd' };
    const open = async (at: string) => {
      const store = await SqliteStore.open({ path: path.join(at, 'rostra.db'), workerUrl });
      const box = new SecretBox(secretKeys(at, {}));
      const registry = modelRegistry({ store: store.registry, box, config: () => HostConfig.parse({}) });
      return { store, registry };
    };
    const { store, registry } = await open(folder);
    await registry.put('mine', config, { at: 1, by: 'owner' });
    await store.close();
    const archive = path.join(folder, 'x.backup');
    await backUp(folder, archive, 1);
    const key = readFileSync(secretKeyPath(folder), 'utf8').trim();
    const bytes = readFileSync(archive, 'latin1');
    expect([bytes.includes(key), bytes.includes(config.api_key)]).toEqual([false, false]);
    expect(bytes).toContain('mine');

    const restored = path.join(folder, 'restored');
    await restore({ file: archive, data: restored, force: false, now: 2 });
    const elsewhere = await open(restored);
    expect(await elsewhere.registry.stored()).toEqual({});
    expect(elsewhere.registry.entries).toMatchObject([
      { id: 'mine', locked: { details: { reason: 'SECRETS_LOCKED' } } },
    ]);
    await elsewhere.store.close();

    copyFileSync(secretKeyPath(folder), secretKeyPath(restored));
    const opened = await open(restored);
    expect(await opened.registry.stored()).toMatchObject({ mine: config });
    await opened.store.close();
  });
});
