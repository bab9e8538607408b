import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  lookAtClock,
  lookAtFolder,
  lookAtKey,
  lookAtLock,
  lookAtNode,
  lookAtPort,
  lookAtSecretKey,
  lookAtSpace,
} from '../../../../src/main/commands/doctor/machine.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rostra-doctor-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('doctor', () => {
  test.each([
    ['20.19.0', 'ok'],
    ['22.1.0', 'ok'],
    ['20.18.3', 'fail'],
    ['18.20.0', 'fail'],
  ])('Node %s is %s', (version, state) => {
    expect(lookAtNode(version).state).toBe(state);
  });

  test('a folder that others can read is a warning, one that is a file a failure, a missing one is made later', () => {
    expect(lookAtFolder(folder).state).toBe('ok');
    chmodSync(folder, 0o755);
    expect(lookAtFolder(folder)).toMatchObject({ state: 'warn', hint: `Run \`chmod 700 ${folder}\`.` });
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    expect(lookAtFolder(file).state).toBe('fail');
    expect(lookAtFolder(path.join(folder, 'missing')).state).toBe('warn');
    expect(lookAtSpace(path.join(folder, 'missing', 'deeper')).said).toMatch(/MiB free$/);
  });

  test('a key that others can read is a failure', () => {
    const file = path.join(folder, 'owner.key');
    writeFileSync(file, 'x', { mode: 0o600 });
    expect(lookAtKey({ data: folder, api_key_from: null }).state).toBe('ok');
    chmodSync(file, 0o640);
    expect(lookAtKey({ data: folder, api_key_from: null }).state).toBe('fail');
    expect(lookAtKey({ data: folder, api_key_from: 'ROSTRA_API_KEY' }).said).toBe('that of ROSTRA_API_KEY');
  });

  test('a key of secrets that others can read is a failure, and none is nothing to tell', () => {
    expect(lookAtSecretKey(folder)).toEqual([]);
    const file = path.join(folder, 'secret.key');
    writeFileSync(file, 'x', { mode: 0o600 });
    expect(lookAtSecretKey(folder)).toMatchObject([{ state: 'ok' }]);
    chmodSync(file, 0o640);
    expect(lookAtSecretKey(folder)).toMatchObject([{ state: 'fail', hint: `Run \`chmod 600 ${file}\`.` }]);
  });

  test('the lock of a host that died is told from none at all', () => {
    expect(lookAtLock(folder).finding.said).toBe('No host is running');
    writeFileSync(path.join(folder, 'host.lock'), JSON.stringify({ pid: 2 ** 22 + 1, process_start: null }));
    expect(lookAtLock(folder).finding.said).toBe('No host is running; a lock of one that died is left');
  });

  test('a port that somebody has is a warning', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    expect(await lookAtPort({ host: '127.0.0.1', port })).toMatchObject({ state: 'warn' });
    await new Promise((resolve) => other.close(resolve));
    expect(await lookAtPort({ host: '127.0.0.1', port })).toMatchObject({ state: 'ok' });
  });

  test('a clock that was never set is a failure, one apart from the host’s a warning', () => {
    const now = Date.UTC(2027, 0, 1);
    expect(lookAtClock(0, null).state).toBe('fail');
    expect(lookAtClock(now, now + 3000).state).toBe('ok');
    expect(lookAtClock(now, now - 60_000)).toMatchObject({ state: 'warn', said: '60 s apart from the host’s' });
  });
});
